import { BadRequest, type DomainError, Upstream } from '#src/lib/errors.ts';

/** Names of the settings that may have caused a failed test of a model, for error messages. */
export interface CheckFields {
  /** Name of the setting for the provider's address. Absent if the address is fixed. */
  address?: string;
  key: string;
  model: string;
}

/** Error of a driver that knows which setting is wrong, regardless of the HTTP status. */
export class FieldError extends Upstream {
  readonly field: string;
  constructor(field: string, error: DomainError) {
    const { retryable, retryAfter, status } = error as Upstream;
    super(error.message, { retryable, retryAfter, status, cause: error });
    this.field = field;
  }
}

/**
 * Returns the result of a model's test. If the test fails, throws its error with the name of the wrong
 * setting at the start of the message.
 */
export async function nameWrongField(check: Promise<string>, fields: CheckFields): Promise<string> {
  try {
    return await check;
  } catch (error) {
    if (error instanceof BadRequest && fields.address) {
      throw new BadRequest(`${fields.address}: ${error.message}`);
    }
    if (!(error instanceof Upstream)) throw error;
    const field = error instanceof FieldError ? error.field : findWrongField(error, fields);
    if (!field) throw error;
    const { message, retryable, retryAfter, status } = error;
    throw new Upstream(`${field}: ${message}`, { retryable, retryAfter, status, cause: error });
  }
}

/**
 * Returns the name of the setting that probably caused the HTTP status. Returns `undefined` if no setting is
 * a likely cause.
 */
function findWrongField({ status }: Upstream, { address, key, model }: CheckFields): string | undefined {
  if (status === undefined || status === 405) return address;
  if (status === 401 || status === 403) return key;
  if (status !== 404) return undefined;
  return address && address !== model ? `${model} or ${address}` : model;
}
