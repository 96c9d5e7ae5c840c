/** Response headers that clients rely on, for `components/headers` of the OpenAPI description. */
export const RESPONSE_HEADERS = {
  'x-request-id': {
    description:
      'Id of this request in logs and error bodies: the value of the same request header, or a new UUID.',
    required: true,
    schema: { type: 'string' },
  },
  traceresponse: {
    description:
      'Trace of this request in the format of W3C Trace Context (`00-<trace id>-<span id>-<flags>`): the trace of the request header `traceparent`, or a new one. Logs contain the trace id as `traceId`.',
    required: true,
    schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
  },
  'x-warnings': {
    description: 'Fields of the request that have no effect, each with the reason.',
    schema: { type: 'string' },
  },
  'retry-after': {
    description: 'Seconds after which the same call may succeed. Absent if a retry cannot help.',
    schema: { type: 'integer', minimum: 0 },
  },
  'x-should-retry': {
    description: 'Whether the same call may succeed later without being changed.',
    required: true,
    schema: { type: 'boolean' },
  },
  'www-authenticate': {
    description: 'Supported authentication schemes.',
    required: true,
    schema: { type: 'string' },
  },
} as const;

type Name = keyof typeof RESPONSE_HEADERS;

/** Returns references to the named headers, for the OpenAPI description of a response. */
export function headers(...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
