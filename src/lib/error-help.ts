import type { ErrorCode } from './errors.ts';

/** Explains a kind of error to the person who receives it. docs/errors.md is generated from these explanations. */
export interface ErrorHelp {
  /** What happened, as one sentence. */
  meaning: string;
  /** Usual reasons. */
  cause: string;
  /** What the person who receives the error can do. */
  remedy: string;
}

export const ERROR_HELP: Record<ErrorCode, ErrorHelp> = {
  invalid: {
    meaning: 'A field of the request has a value that is not allowed.',
    cause: 'A required field is missing, or a value has the wrong type, length, range or combination.',
    remedy:
      'Read `detail`: each entry names the field in `loc` and what is allowed in `msg`. Correct the field.',
  },
  bad_request: {
    meaning: 'The request cannot be carried out as it stands.',
    cause:
      'The body is not valid JSON, the input of a job is missing or has not arrived, or a URL cannot be fetched.',
    remedy: 'Correct what the message names. Check that the file or URL exists before you create the job.',
  },
  unauthenticated: {
    meaning: 'The request has no valid credential.',
    cause: 'The API key is missing, mistyped, expired or revoked, or the session of the console has ended.',
    remedy:
      'Send `Authorization: Bearer <key>` with a key that is in use. Create one in the console under API keys.',
  },
  forbidden: {
    meaning: 'The credential is valid but does not allow this operation.',
    cause: 'The key belongs to another project, or the operation needs an administrator.',
    remedy: 'Use a key of the project that owns the resource, or ask an administrator for the role.',
  },
  not_found: {
    meaning: 'The resource or address does not exist for this credential.',
    cause: 'The id is mistyped, the resource was deleted, or it belongs to another project.',
    remedy: 'List the resources to find the id. Check the path and the method against the API reference.',
  },
  conflict: {
    meaning: 'The resource is in a state that does not allow the change.',
    cause: 'A name is taken, a sync or deletion is running, or another request changed the resource first.',
    remedy:
      'Repeat the request if `retryable` is true. Otherwise read the current state of the resource first.',
  },
  too_large: {
    meaning: 'The request or file is larger than this installation accepts.',
    cause: 'The upload exceeds `MAX_FILE_MIB`, or the JSON body exceeds its limit.',
    remedy: 'Split the file or the request. An operator can raise `MAX_FILE_MIB`.',
  },
  unsupported_media_type: {
    meaning: 'The content type of the request is not accepted by this operation.',
    cause: 'The `Content-Type` header is missing, or names a type that the operation does not read.',
    remedy: 'Send the content type that the API reference shows, usually `application/json`.',
  },
  limit_reached: {
    meaning: 'The project has used up a quota that does not renew by itself.',
    cause: 'The project stores as many files or bytes as it may. `limit` names the quota.',
    remedy: 'Delete files, or ask an administrator to raise the limit of the project.',
  },
  rate_limited: {
    meaning: 'Too many requests were sent, or a daily quota is used up.',
    cause: 'The key, the address or the project exceeded its rate. `limit` names a quota of the project.',
    remedy: 'Wait the seconds that the `Retry-After` header states, then repeat the request.',
  },
  upstream: {
    meaning: 'A service that Sluice called has failed or refused the call.',
    cause:
      'A data source, vector store or model is down, rejects the credentials, or has a limit of its own.',
    remedy:
      'Read which product the message names. Repeat the request if `retryable` is true. Otherwise correct the credentials or settings.',
  },
  unavailable: {
    meaning: 'This part of the service cannot answer at the moment.',
    cause:
      'The service is starting, upgrading its data, has lost one of its own parts for a moment, or has too many waiting requests.',
    remedy:
      'Repeat the request after the seconds in `Retry-After`. If it lasts, an operator looks at `/health`.',
  },
  internal: {
    meaning: 'The service met an error that it did not expect.',
    cause: 'A defect of Sluice, or a failure of the platform below it.',
    remedy:
      'Repeat the request once. If it fails again, report it with the `request_id`, which is also in the log.',
  },
};
