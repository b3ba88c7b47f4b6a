module.exports = async ({deployments: {deploy, execute}, getNamedAccounts}) => {
  const {owner, guard} = await getNamedAccounts()
  const fare = await deploy('Fare', {from: owner})
  const libraries = {Fare: fare.address}
  await deploy('Turnstile', {from: owner, args: ['Blue line', guard], libraries})
  await deploy('Station', {from: owner, libraries, deterministicDeployment: true})
  await execute('Station', {from: owner}, 'open', 'Red line')
}
