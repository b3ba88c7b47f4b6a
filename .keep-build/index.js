// Keeps the site and its ledger between builds, so that the next build writes only what changed.
// Written by `statuary hosting netlify`.
module.exports = {
  onPreBuild: ({ constants, utils }) => utils.cache.restore(constants.PUBLISH_DIR),
  onPostBuild: ({ constants, utils }) => utils.cache.save(constants.PUBLISH_DIR),
};
