import { t } from '../i18n/messages.ts';

export interface FieldError {
  loc: (string | number)[];
  msg: string;
}

/** Failed API request. `status` is 0 if the service could not be reached. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly retryable: boolean;
  /** Seconds to wait before the next attempt, from the `Retry-After` header. */
  readonly retryAfter: number | undefined;
  readonly fields: FieldError[];
  /** Body of the response, if it was JSON. */
  readonly body: unknown;

  constructor(status: number, body: unknown, headers: Headers = new Headers()) {
    const payload = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    const fields = Array.isArray(payload.detail) ? (payload.detail as FieldError[]) : [];
    super(buildMessage(status, payload.detail, fields));
    this.status = status;
    this.code = typeof payload.code === 'string' ? payload.code : undefined;
    this.requestId =
      typeof payload.request_id === 'string'
        ? payload.request_id
        : (headers.get('x-request-id') ?? undefined);
    this.retryable = status === 0 || payload.retryable === true;
    const after = Number(headers.get('retry-after'));
    this.retryAfter = after > 0 ? after : undefined;
    this.fields = fields;
    this.body = body;
  }

  /**
   * Returns the validation message for a field of the request body. The field is given by its path, such as
   * `transform_config.chunk_size`. Returns `undefined` if the field has no error.
   */
  findFieldMessage(path: string): string | undefined {
    const isHere = ({ loc }: FieldError) => loc.filter((part) => part !== 'body').join('.') === path;
    return this.fields.find(isHere)?.msg;
  }
}

function buildMessage(status: number, detail: unknown, fields: FieldError[]): string {
  if (typeof detail === 'string') return detail;
  if (fields.length > 0) return fields.map(describeFieldError).join('\n');
  if (status === 0) return t('The service could not be reached.');
  return t('The service responded with status {status}.', { status });
}

const describeFieldError = ({ loc, msg }: FieldError) => {
  const place = loc.filter((part) => !['body', 'query', 'path'].includes(String(part))).join('.');
  return place ? `${place}: ${msg}` : msg;
};
