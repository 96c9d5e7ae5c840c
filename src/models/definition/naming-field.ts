import { BadRequest, type DomainError, Upstream } from '#src/lib/errors.ts';

/** What a driver calls the settings that a failed check may be about. */
export interface CheckedFields {
  /** Absent where the address is the provider's and no setting. */
  address?: string;
  key: string;
  model: string;
}

/** An error of a driver that knows which of its settings is to be mended, whatever the status says. */
export class FieldFault extends Upstream {
  readonly field: string;
  constructor(field: string, error: DomainError) {
    const { retryable, retryAfter, status } = error as Upstream;
    super(error.message, { retryable, retryAfter, status, cause: error });
    this.field = field;
  }
}

/** The check's own answer, or its error with the setting in front that has to be mended. */
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

/** Undefined where the answer says nothing about one of them. */
function fieldOf({ status }: Upstream, { address, key, model }: CheckedFields): string | undefined {
  if (status === undefined || status === 405) return address;
  if (status === 401 || status === 403) return key;
  if (status !== 404) return undefined;
  return address && address !== model ? `${model} or ${address}` : model;
}
