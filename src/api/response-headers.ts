/** Headers of answers that clients rely on, as `components/headers` of the description. */
export const RESPONSE_HEADERS = {
  'x-request-id': {
    description:
      'The name of this request in logs and error bodies: what the request said in the same header, or a new uuid.',
    required: true,
    schema: { type: 'string' },
  },
  'x-warnings': {
    description: 'Fields of the request that were taken and change nothing, each with the reason.',
    schema: { type: 'string' },
  },
  'retry-after': {
    description: 'Seconds after which the same call may succeed. Absent where it would be in vain.',
    schema: { type: 'integer', minimum: 0 },
  },
  'x-should-retry': {
    description: 'Whether the same call may succeed later without being changed.',
    required: true,
    schema: { type: 'boolean' },
  },
  'www-authenticate': {
    description: 'How to say who asks.',
    required: true,
    schema: { type: 'string' },
  },
} as const;

type Name = keyof typeof RESPONSE_HEADERS;

/** References to headers, as a response has them. */
export function headers(...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
