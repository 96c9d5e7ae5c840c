import { z } from 'zod';
import { BadAddress } from './bad-address.ts';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const text = z.string().min(1).max(200);
const milliseconds = z
  .string()
  .regex(/^[1-9]\d{0,6}$/)
  .transform(Number);

/**
 * Supported options of a `db_uri`. Other options are rejected, because they could read files, connect to
 * other hosts or disable certificate checks.
 */
const supported = {
  appName: text,
  authMechanism: z.enum(['DEFAULT', 'SCRAM-SHA-1', 'SCRAM-SHA-256']),
  authSource: text,
  connectTimeoutMS: milliseconds,
  directConnection: flag,
  replicaSet: text,
  retryReads: flag,
  retryWrites: flag,
  serverSelectionTimeoutMS: milliseconds,
  socketTimeoutMS: milliseconds,
  ssl: flag,
  tls: flag,
  w: z.union([
    z.literal('majority'),
    z
      .string()
      .regex(/^[1-9]\d?$/)
      .transform(Number),
  ]),
};
type SupportedOptions = { [Name in keyof typeof supported]?: z.output<(typeof supported)[Name]> };
const NAMES = Object.keys(supported) as (keyof SupportedOptions)[];
const LONGEST_NAME = 60;

export interface MongoOptions extends Omit<SupportedOptions, 'directConnection' | 'ssl' | 'tls'> {
  tls: boolean;
  /** True if the URI's only host is used even if it is not the primary. */
  isDirect: boolean;
}

export function parseOptions(query: string, isSrv: boolean): MongoOptions {
  const found: Record<string, unknown> = {};
  for (const [given, value] of new URLSearchParams(query)) {
    const name = NAMES.find((each) => each.toLowerCase() === given.toLowerCase());
    const shown = given.slice(0, LONGEST_NAME);
    if (!name)
      throw new BadAddress(`The option ${shown} is not supported. Supported options: ${NAMES.join(', ')}.`);
    if (name in found) throw new BadAddress(`The option ${name} is set twice.`);
    const { data, error } = supported[name].safeParse(value);
    if (error) throw new BadAddress(`The option ${name}: ${error.issues[0]!.message}.`);
    found[name] = data;
  }
  const { directConnection = false, ssl, tls, ...rest } = found as SupportedOptions;
  if (ssl !== undefined && tls !== undefined && ssl !== tls) {
    throw new BadAddress('The options ssl and tls must have the same value.');
  }
  return { ...rest, tls: tls ?? ssl ?? isSrv, isDirect: directConnection };
}
