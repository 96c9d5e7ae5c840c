import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { EXIT, StartFailure } from './exit-codes.ts';

/** Settings of the server itself. The variables of the service are in variables.ts. */
export interface ServerOptions {
  host: string;
  /** Port to listen on. With 0, the system chooses a free port. */
  port: number;
  /** Absolute path of the folder that contains the database, files and Durable Objects. */
  stateDir: string;
  secretsFile: string;
  /** Number of parser calls that one project may run at the same time. */
  parserProcesses: number;
  /** Resident memory in MiB of a parser process at which the process is stopped. */
  parserMemoryMib: number;
  /** Maximum duration of a parser call in milliseconds. */
  parserCallMs: number;
  /** Maximum time in milliseconds that a parser call may go without a heartbeat. */
  parserSilenceMs: number;
  /** Time in milliseconds after which an unresponsive service is restarted. */
  watchdogMs: number;
  /** Time in milliseconds that running requests may take after SIGTERM. */
  shutdownMs: number;
}

/**
 * Environment variables and number of processor cores from which the options are read. Tests pass their own
 * values.
 */
interface OptionSources {
  environment: NodeJS.ProcessEnv;
  cores?: number;
}

/**
 * Reads the server's settings from the environment.
 *
 * @throws StartFailure that names the variable and the allowed values
 */
export function readOptions({ environment, cores = availableParallelism() }: OptionSources): ServerOptions {
  const number = (name: string, byDefault: number, least: number, most: number): number => {
    const text = environment[name];
    if (text === undefined || text === '') return byDefault;
    const value = Number(text);
    if (Number.isFinite(value) && value >= least && value <= most) return value;
    throw new StartFailure(
      EXIT.badConfiguration,
      `${name} is "${text}". It must be a number from ${least} to ${most}.`,
    );
  };
  const seconds = (name: string, byDefault: number, least: number, most: number) =>
    Math.round(number(name, byDefault, least, most) * 1000);
  return {
    host: environment.HOST || '127.0.0.1',
    port: Math.trunc(number('PORT', 8787, 0, 65_535)),
    stateDir: resolve(environment.STATE_DIR || '.wrangler/state'),
    secretsFile: resolve(environment.SECRETS_FILE || '.dev.vars'),
    parserProcesses: Math.trunc(number('PARSER_PROCESSES', Math.max(1, cores - 1), 1, 64)),
    parserMemoryMib: number('PARSER_MEMORY_MIB', 768, 256, 65_536),
    parserCallMs: seconds('PARSER_CALL_SECONDS', 300, 1, 3_600),
    parserSilenceMs: seconds('PARSER_SILENCE_SECONDS', 30, 1, 600),
    watchdogMs: seconds('WATCHDOG_SECONDS', 30, 1, 3_600),
    shutdownMs: seconds('SHUTDOWN_SECONDS', 10, 0, 600),
  };
}

/**
 * Returns the address in the form used in a URL: IPv6 addresses get brackets, and wildcard addresses become
 * 127.0.0.1.
 */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '*') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns true if only programs on this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
