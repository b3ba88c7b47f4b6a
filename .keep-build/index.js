// Keeps the site and its ledger between builds, so that the next build writes only what changed.
// Fails after the deploy, which stays, if the site was published with faults (exit code 4 of `statuary build`).
// Written by `statuary hosting netlify`.
const fs = require("node:fs");

module.exports = {
  onPreBuild: ({ constants, utils }) => utils.cache.restore(constants.PUBLISH_DIR),
  onPostBuild: ({ constants, utils }) => utils.cache.save(constants.PUBLISH_DIR),
  onSuccess: ({ utils }) => {
    if (fs.existsSync(".venv/faults")) {
      utils.build.failPlugin("The site was deployed, except what the build command names.");
    }
  },
};
