import { BadRequest, DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { isNetworkFault } from '#src/upstream/retryable.ts';
import { removeCredentials } from '#src/upstream/scrub.ts';
import { ProtocolError } from './message-reader.ts';
import type { PgvectorSettings } from './settings.ts';

const LONGEST_REASON = 300;

/** Error of a database call. `field` names the setting that probably caused it. */
export class DatabaseError extends SinkError {
  readonly field: string | undefined;
  constructor(
    message: string,
    options: { retryable: boolean; status?: number | undefined; field?: string | undefined },
  ) {
    super(`The PostgreSQL server ${message}`, options);
    this.field = options.field;
  }
}

interface Meaning {
  field?: string;
  advice?: string;
  status?: number;
}

const SETUP = 'The user may lack privileges, or the server may lack the vector extension (perform_setup).';

const MEANINGS: Record<string, Meaning> = {
  '28P01': { field: 'password', advice: 'Check password.', status: 401 },
  '28000': { field: 'user', advice: 'Check user.', status: 401 },
  '3D000': { field: 'database', advice: 'Check database.' },
  '42501': { field: 'perform_setup', advice: SETUP, status: 403 },
  '0A000': { field: 'perform_setup', advice: SETUP },
  '58P01': { field: 'perform_setup', advice: SETUP },
  '42704': { field: 'perform_setup', advice: SETUP },
  '42P01': { field: 'table_name', advice: 'The table (table_name) does not exist.', status: 404 },
  '3F000': { field: 'schema_name', advice: 'The schema (schema_name) does not exist.', status: 404 },
  '42703': { field: 'table_name', advice: 'The table (table_name) lacks a column.' },
  '42P10': { field: 'table_name', advice: 'The table (table_name) has no unique constraint on id.' },
  '22023': { field: 'hnsw_settings' },
  '54000': { field: 'hnsw_settings' },
};
/**
 * Classes of SQLSTATE codes that are retried, such as connection failures, conflicts, exhausted resources and
 * internal errors.
 */
const RETRYABLE_CLASSES = /^(08|40|53|55|57|58|XX)/;

/**
 * Converts any error of a database call to a SinkError. The message contains neither the password nor the
 * values of statements.
 */
export function toDomainError(error: unknown, settings: PgvectorSettings): DomainError {
  if (error instanceof BadRequest)
    return new DatabaseError(`cannot be called: ${error.message}`, { retryable: false, field: 'host' });
  if (error instanceof DomainError) return error;
  const reason = describeReason(error, settings);
  const code = getSqlState(error);
  if (code === undefined) {
    if (error instanceof ProtocolError)
      return new DatabaseError(`${reason}.`, { retryable: false, field: 'host' });
    const retryable = isNetworkFault(error) || !(error instanceof TypeError);
    return new DatabaseError(`could not be reached, or closed the connection: ${reason}.`, {
      retryable,
      field: 'host',
    });
  }
  const isOfDimensions = code === '22000' && /dimensions/.test(reason);
  const meaning = isOfDimensions
    ? { field: 'embed_dim', advice: 'The vectors do not have the dimension of the table (embed_dim).' }
    : (MEANINGS[code] ?? {});
  const advice = meaning.advice ? ` ${meaning.advice}` : '';
  return new DatabaseError(`answered ${code}: ${reason}.${advice}`, {
    retryable: !(code in MEANINGS) && RETRYABLE_CLASSES.test(code),
    status: meaning.status,
    field: meaning.field,
  });
}

function describeReason(error: unknown, { password }: PgvectorSettings): string {
  const clean = removeCredentials(getErrorMessage(error), [password]).replace(/\.$/, '');
  return clean.length > LONGEST_REASON ? `${clean.slice(0, LONGEST_REASON)}…` : clean;
}

function getSqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[\dA-Z]{5}$/.test(code) ? code : undefined;
}
