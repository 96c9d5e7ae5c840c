import { z } from 'zod';
import { BadAddress } from './bad-address.ts';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const text = z.string().min(1).max(200);
const milliseconds = z
  .string()
  .regex(/^[1-9]\d{0,6}$/)
  .transform(Number);

/** What of an address's options is taken. All others are refused: they read files, leave the host or trust anybody. */
const taken = {
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
type Taken = { [Name in keyof typeof taken]?: z.output<(typeof taken)[Name]> };
const NAMES = Object.keys(taken) as (keyof Taken)[];
const LONGEST_NAME = 60;

export interface MongoOptions extends Omit<Taken, 'directConnection' | 'ssl' | 'tls'> {
  tls: boolean;
  /** The one host is asked whether it is the primary or not. */
  isDirect: boolean;
}

/** What stands behind the question mark. Throws BadAddress. */
export function optionsOf(query: string, isSrv: boolean): MongoOptions {
  const found: Record<string, unknown> = {};
  for (const [given, value] of new URLSearchParams(query)) {
    const name = NAMES.find((each) => each.toLowerCase() === given.toLowerCase());
    const shown = given.slice(0, LONGEST_NAME);
    if (!name) throw new BadAddress(`The option ${shown} is not taken. Those that are: ${NAMES.join(', ')}.`);
    if (name in found) throw new BadAddress(`The option ${name} is there twice.`);
    const { data, error } = taken[name].safeParse(value);
    if (error) throw new BadAddress(`The option ${name}: ${error.issues[0]!.message}.`);
    found[name] = data;
  }
  const { directConnection = false, ssl, tls, ...rest } = found as Taken;
  if (ssl !== undefined && tls !== undefined && ssl !== tls) {
    throw new BadAddress('The options ssl and tls say the same, and differ here.');
  }
  return { ...rest, tls: tls ?? ssl ?? isSrv, isDirect: directConnection };
}
