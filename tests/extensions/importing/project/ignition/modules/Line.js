import {buildModule} from '@nomicfoundation/ignition-core'

export default buildModule('Line', (m) => {
  const fare = m.library('Fare')
  const turnstile = m.contract('Turnstile', ['Blue line', m.getAccount(1)], {libraries: {Fare: fare}})
  const station = m.contract('Station', [], {libraries: {Fare: fare}})
  m.call(station, 'open', ['Red line'])
  return {turnstile, station}
})
