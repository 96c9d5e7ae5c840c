import { BadRequest, type DomainError, Upstream } from '#src/lib/errors.ts';

/** Names of the settings that a failed check may concern. */
export interface CheckedFields {
  /** Absent if the provider's address is fixed. */
  address?: string;
  key: string;
  model: string;
}

/** Error of a driver that knows which setting is wrong, whatever the status says. */
export class FieldFault extends Upstream {
  readonly field: string;
  constructor(field: string, error: DomainError) {
    const { retryable, retryAfter, status } = error as Upstream;
    super(error.message, { retryable, retryAfter, status, cause: error });
    this.field = field;
  }
}

/** Returns the result of a check, or its error prefixed with the wrong setting. */
export async function namingField(check: Promise<string>, fields: CheckedFields): Promise<string> {
  try {
    return await check;
  } catch (error) {
    if (error instanceof BadRequest && fields.address) {
      throw new BadRequest(`${fields.address}: ${error.message}`);
    }
    if (!(error instanceof Upstream)) throw error;
    const field = error instanceof FieldFault ? error.field : fieldOf(error, fields);
    if (!field) throw error;
    const { message, retryable, retryAfter, status } = error;
    throw new Upstream(`${field}: ${message}`, { retryable, retryAfter, status, cause: error });
  }
}

/** Returns undefined if the status concerns none of these settings. */
function fieldOf({ status }: Upstream, { address, key, model }: CheckedFields): string | undefined {
  if (status === undefined || status === 405) return address;
  if (status === 401 || status === 403) return key;
  if (status !== 404) return undefined;
  return address && address !== model ? `${model} or ${address}` : model;
}
