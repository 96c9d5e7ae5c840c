import { errorBody, validationErrorBody } from './schemas.ts';

/** What each status means wherever it is answered. */
const MEANING = {
  400: 'The request cannot be done as it stands',
  401: 'Missing or invalid credentials',
  403: 'Not allowed to this caller',
  404: 'No such resource for this caller',
  409: 'In conflict with what is stored, or changed by somebody else at the same time',
  413: 'The body is too large',
  415: 'The body has another content type than this operation takes',
  422: 'Validation error',
  429: 'Too many requests; Retry-After says when to come again',
  500: 'Something went wrong on the side of the service',
  502: 'A system that the service calls refused or failed',
  503: 'Not possible at this moment; Retry-After says when to come again',
} as const;

export type ErrorStatus = keyof typeof MEANING;

interface Traits {
  isPublic: boolean;
  /** It may change something: everything but GET. */
  changes: boolean;
  /** It takes ids or a scope, which may be somebody else's. */
  namesThings: boolean;
  hasBody: boolean;
  also: readonly ErrorStatus[];
}

/** Every failure that an operation can answer, with its body, as its description shows them. */
export function errorResponses({ isPublic, changes, namesThings, hasBody, also }: Traits) {
  const statuses: ErrorStatus[] = [
    ...(isPublic ? [] : ([401, 403] as const)),
    ...(namesThings ? [404 as const] : []),
    ...(changes ? [409 as const] : []),
    ...(hasBody ? ([413, 415] as const) : []),
    ...([422, 429, 500, 503] as const),
    ...also,
  ];
  return Object.fromEntries(statuses.map((status) => [status, failure(status)]));
}

function failure(status: ErrorStatus) {
  const schema = status === 422 ? validationErrorBody : errorBody;
  return { description: MEANING[status], content: { 'application/json': { schema } } };
}
