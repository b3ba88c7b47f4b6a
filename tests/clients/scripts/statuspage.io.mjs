// What npm's statuspage.io reads from a status page: {"url"} in, the answer of each of its calls out.
//
// Its scheduledMaintenances.getAll and getActive ask for upcoming.json too, so they have nothing to add.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'

const {Statuspage} = createRequire(`${process.env.CLIENT}/package.json`)('statuspage.io')
const page = new Statuspage('page')
page.setApiUrl(JSON.parse(readFileSync(0, 'utf8')).url)

const {api} = page
const calls = {
  summary: api.getSummary,
  status: api.getStatus,
  components: api.getComponents,
  incidents: () => api.incidents.getAll(),
  unresolved: () => api.incidents.getUnresolved(),
  upcoming: () => api.scheduledMaintenances.getUpcoming(),
}
const read = await Promise.all(Object.entries(calls).map(async ([name, call]) => [name, await call()]))
process.stdout.write(JSON.stringify(Object.fromEntries(read)))
