// Stops `npm install` on a Node that is too old for the packages. This file is CommonJS and uses no new syntax, because
// old versions of Node have to be able to run it. The scripts run under the Node of the `node` package, so the version
// of the Node that runs npm is read from npm's user agent, such as "npm/10.8.2 node/v20.18.0 linux x64".
var OLDEST = 20;
var match = / node\/v(\d+)/.exec(process.env.npm_config_user_agent || '');
if (match && Number(match[1]) < OLDEST) {
  console.error(
    'Sluice needs Node ' +
      OLDEST +
      ' or newer to be installed, and this is Node ' +
      match[1] +
      '. ' +
      'Install a newer one, for example from https://nodejs.org, and run the command again.',
  );
  process.exit(1);
}
