import { setFlagsFromString } from 'node:v8';
import { build } from '#scripts/build.ts';
import { ensureDevVars } from '#scripts/dev-vars.ts';
import { StateRefused } from '#scripts/local-state/refused.ts';
import { writeReleaseNote } from '#scripts/local-state/release-note.ts';
import { requireKnownSchema } from '#scripts/local-state/schema.ts';
import { takeState } from '#scripts/state-lock.ts';
import { rememberSecrets } from '#src/lib/secrets/redaction.ts';
import { listSecretVariables } from '#src/lib/secrets/secret-variables.ts';
import { EXIT, StartFailure } from './exit-codes.ts';
import { readOptions } from './options.ts';
import { printBanner, requireValidSettings, waitUntilHealthy, withFreePort } from './start-up.ts';
import { parserVariables, serviceVariables, takeSecrets } from './variables.ts';

// `npm start`: checks the settings and the state, starts the supervisor, and exits with a code from
// exit-codes.ts.

/** This process only supervises others, so its heap needs only a small young generation. */
setFlagsFromString('--max-semi-space-size=1');
/**
 * The parent's process id is read first, because the parent may have ended by the time the service is
 * running.
 */
const parent = process.ppid;

async function main(): Promise<void> {
  const environment = takeSecrets(process.env);
  const requested = readOptions({ environment });
  if (!(await takeState(requested.stateDir))) {
    throw new StartFailure(
      EXIT.stateInUse,
      `The state in ${requested.stateDir} is in use by another Sluice. Choose another folder: STATE_DIR=… npm start`,
    );
  }
  // The port is checked after the lock was taken. Taking the lock ends the remaining processes of a killed
  // server, which may still use the port.
  const options = await withFreePort(requested);
  const secrets = ensureDevVars(options.secretsFile);
  const variables = serviceVariables(environment, secrets, options);
  requireValidSettings(variables);
  await build();
  await openState(options.stateDir);
  const { Supervisor } = await import('./supervisor.ts');
  const parsing = parserVariables(environment, secrets);
  rememberSecrets(listSecretVariables({ ...variables, ...parsing }));
  const supervisor = new Supervisor({
    options,
    serviceVariables: variables,
    parserVariables: parsing,
    replaced: { serviceEntry: environment.SERVICE_ENTRY, parserConfig: environment.PARSER_CONFIG },
  });
  endOnSignal(supervisor);
  await supervisor.start();
  await waitUntilHealthy(options);
  printBanner(options, environment, variables);
}

/** Rejects state that this release does not know, and migrates the database of an older release. */
async function openState(stateDir: string): Promise<void> {
  try {
    const schema = await requireKnownSchema(stateDir);
    if (schema.kind === 'empty' || schema.kind === 'older') {
      const { migrate } = await import('./service/migrate.ts');
      await migrate(stateDir);
    }
  } catch (error) {
    if (error instanceof StateRefused) throw new StartFailure(EXIT.badState, error.message);
    throw error;
  }
  writeReleaseNote(stateDir);
}

/** Stops the server on the first signal, or when its parent process has ended. */
function endOnSignal(supervisor: { stop(): Promise<void> }): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    console.log('Sluice is shutting down.');
    await supervisor.stop();
    process.exit(EXIT.ok);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  setInterval(() => process.ppid === parent || stop(), 1000).unref();
}

try {
  await main();
} catch (error) {
  if (!(error instanceof StartFailure)) console.error(error);
  else console.error(error.message);
  process.exit(error instanceof StartFailure ? error.code : EXIT.failure);
}
