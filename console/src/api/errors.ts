/** What the service says of one field. */
export interface FieldError {
  loc: (string | number)[];
  msg: string;
}

/** A request that did not succeed; `status` 0: nothing answered. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly retryable: boolean;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  readonly fields: FieldError[];

  constructor(status: number, body: unknown, headers: Headers = new Headers()) {
    const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    const fields = Array.isArray(said.detail) ? (said.detail as FieldError[]) : [];
    super(messageOf(status, said.detail, fields));
    this.status = status;
    this.code = typeof said.code === 'string' ? said.code : undefined;
    this.requestId =
      typeof said.request_id === 'string' ? said.request_id : (headers.get('x-request-id') ?? undefined);
    this.retryable = status === 0 || said.retryable === true;
    const after = Number(headers.get('retry-after'));
    this.retryAfter = after > 0 ? after : undefined;
    this.fields = fields;
  }

  /** What is said of a member of the body, by its path: `transform_config.chunk_size`. */
  of(path: string): string | undefined {
    const isHere = ({ loc }: FieldError) => loc.filter((part) => part !== 'body').join('.') === path;
    return this.fields.find(isHere)?.msg;
  }
}

function messageOf(status: number, detail: unknown, fields: FieldError[]): string {
  if (typeof detail === 'string') return detail;
  if (fields.length > 0) return fields.map(sentenceOf).join('\n');
  if (status === 0) return 'The service does not answer.';
  return `The service answered ${status}.`;
}

const sentenceOf = ({ loc, msg }: FieldError) => {
  const place = loc.filter((part) => !['body', 'query', 'path'].includes(String(part))).join('.');
  return place ? `${place}: ${msg}` : msg;
};
