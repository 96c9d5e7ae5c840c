import { BadRequest, DomainError, messageOf } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { isNetworkFault } from '#src/upstream/retryable.ts';
import { scrub } from '#src/upstream/scrub.ts';
import { BadFrame } from './frames.ts';
import type { PgvectorSettings } from './settings.ts';

const LONGEST_REASON = 300;

/** What was asked of the database and did not work. `field`: the setting that it points at. */
export class DatabaseError extends SinkError {
  readonly field: string | undefined;
  constructor(
    message: string,
    options: { retryable: boolean; status?: number | undefined; field?: string | undefined },
  ) {
    super(`The data sink (VENDOR_F) ${message}`, options);
    this.field = options.field;
  }
}

interface Meaning {
  field?: string;
  /** What to do about it, as a sentence. */
  advice?: string;
  status?: number;
}

const SETUP = 'The user may lack the right, or the server the vector extension (perform_setup).';

/** By the server's own codes (SQLSTATE). */
const MEANINGS: Record<string, Meaning> = {
  '28P01': { field: 'password', advice: 'Is the password right?', status: 401 },
  '28000': { field: 'user', advice: 'Is the user right?', status: 401 },
  '3D000': { field: 'database', advice: 'Is the database right?' },
  '42501': { field: 'perform_setup', advice: SETUP, status: 403 },
  '0A000': { field: 'perform_setup', advice: SETUP },
  '58P01': { field: 'perform_setup', advice: SETUP },
  '42704': { field: 'perform_setup', advice: SETUP },
  '42P01': { field: 'table_name', advice: 'There is no such table (table_name).', status: 404 },
  '3F000': { field: 'schema_name', advice: 'There is no such schema (schema_name).', status: 404 },
  '42703': { field: 'table_name', advice: 'The table (table_name) lacks a column.' },
  '42P10': { field: 'table_name', advice: 'The table (table_name) has no unique id.' },
  '22023': { field: 'hnsw_settings' },
  '54000': { field: 'hnsw_settings' },
};
/** Classes of codes that time may cure: connections, collisions, exhausted, in use, the operator, the system, a fault. */
const PASSING = /^(08|40|53|55|57|58|XX)/;

/** Any failure of a call as a SinkError, without the password and without the values of statements. */
export function failureOf(error: unknown, settings: PgvectorSettings): DomainError {
  if (error instanceof BadRequest)
    return new DatabaseError(`cannot be called: ${error.message}`, { retryable: false, field: 'host' });
  if (error instanceof DomainError) return error;
  const reason = reasonOf(error, settings);
  const code = codeOf(error);
  if (code === undefined) {
    if (error instanceof BadFrame)
      return new DatabaseError(`${reason}.`, { retryable: false, field: 'host' });
    const retryable = isNetworkFault(error) || !(error instanceof TypeError);
    return new DatabaseError(`could not be reached, or broke off: ${reason}.`, { retryable, field: 'host' });
  }
  const isOfDimensions = code === '22000' && /dimensions/.test(reason);
  const meaning = isOfDimensions
    ? { field: 'embed_dim', advice: 'The vectors do not fit the table (embed_dim).' }
    : (MEANINGS[code] ?? {});
  const advice = meaning.advice ? ` ${meaning.advice}` : '';
  return new DatabaseError(`answered ${code}: ${reason}.${advice}`, {
    retryable: !(code in MEANINGS) && PASSING.test(code),
    status: meaning.status,
    field: meaning.field,
  });
}

function reasonOf(error: unknown, { password }: PgvectorSettings): string {
  const clean = scrub(messageOf(error), [password]).replace(/\.$/, '');
  return clean.length > LONGEST_REASON ? `${clean.slice(0, LONGEST_REASON)}…` : clean;
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[\dA-Z]{5}$/.test(code) ? code : undefined;
}
