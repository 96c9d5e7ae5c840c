type Node = Record<string, unknown>;

interface Description {
  paths: Record<string, Record<string, { responses: Node }>>;
  components: { responses: Record<string, { content: Node }>; schemas: Node };
}

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: {
          type: ['string', 'null'],
          description: 'Path of the wrong member of the request, with members joined by dots.',
        },
        code: { type: ['string', 'null'] },
      },
    },
  },
};

/** Returns the description with errors in the protocol's format, and with 400 for invalid input. */
export function describeOpenAiErrors(description: object): object {
  const { paths, components, ...rest } = description as Description;
  const { ValidationError: _, ValidationErrorItem: __, ErrorBody: ___, ...schemas } = components.schemas;
  const { Invalid: ____, ...responses } = components.responses;
  return {
    ...rest,
    paths: Object.fromEntries(
      Object.entries(paths)
        .filter(([path]) => path.startsWith('/v1/'))
        .map(([path, item]) => [path, withStatuses(item)]),
    ),
    components: {
      ...components,
      schemas: { ...schemas, Error: ERROR },
      responses: Object.fromEntries(
        Object.entries(responses).map(([name, response]) => [
          name,
          {
            ...response,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        ]),
      ),
    },
  };
}

function withStatuses(item: Record<string, { responses: Node }>) {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => {
      const { 422: _, ...responses } = operation.responses;
      return [
        method,
        { ...operation, responses: { ...responses, 400: { $ref: '#/components/responses/BadRequest' } } },
      ];
    }),
  );
}
