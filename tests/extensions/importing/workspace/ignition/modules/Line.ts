import {buildModule} from '@nomicfoundation/ignition-core'

export default buildModule('Line', (m) => {
  const fare = m.library('fares/Fare.sol:Fare')
  const turnstile = m.contract('Turnstile', ['Blue line', m.getAccount(1)], {libraries: {Fare: fare}})
  return {fare, turnstile}
})
