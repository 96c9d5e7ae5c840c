import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { EXIT, StartFailure } from './exit-codes.ts';

/** Settings of the server itself; the variables of the service are in variables.ts. */
export interface ServerOptions {
  /** Address to listen on. */
  host: string;
  /** 0 lets the system choose a port. */
  port: number;
  /** Absolute path of the folder that holds the database, files and objects. */
  stateDir: string;
  /** File with the generated secrets. */
  secretsFile: string;
  /** Parser calls that one project may run at the same time. */
  parserProcesses: number;
  /** Resident memory at which a parser process is stopped, in MiB. */
  parserMemoryMib: number;
  /** Longest duration of a parser call. */
  parserCallMs: number;
  /** Longest time that a parser call may show no sign of life. */
  parserSilenceMs: number;
  /** How long the service may leave a heartbeat unanswered before it is restarted. */
  watchdogMs: number;
  /** How long running requests may take after SIGTERM. */
  shutdownMs: number;
}

/** What the environment and the machine offer; a parameter for tests. */
interface Surroundings {
  environment: NodeJS.ProcessEnv;
  cores?: number;
}

/**
 * Reads the server's settings from the environment.
 *
 * @throws StartFailure that names the variable and the allowed values
 */
export function readOptions({ environment, cores = availableParallelism() }: Surroundings): ServerOptions {
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

/** The address as part of a URL: IPv6 in brackets, and this machine for "every address". */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '*') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Whether only programs on this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
