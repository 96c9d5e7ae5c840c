import type { OPERATIONS } from '../../../src/api/operations.ts';

// This module imports only types from the service, so the console's bundle contains no code of the service.

type OperationTypes = NonNullable<(typeof OPERATIONS)[number]['types']>;

/** Types of every operation, keyed by method and path, such as `'GET /api/v1/pipelines/{pipeline_id}'`. */
type Api = { [Each in OperationTypes as `${Uppercase<Each['method']>} ${Each['path']}`]: Each };

export type Operation = keyof Api;
export type ReadOperation = Extract<Operation, `GET ${string}`>;
export type WriteOperation = Exclude<Operation, ReadOperation>;

export type Answer<Name extends Operation> = Api[Name]['answer'];
export type Body<Name extends Operation> = Api[Name]['body'];
export type Query<Name extends Operation> = NonNullable<Api[Name]['query']>;
type Params<Name extends Operation> = Api[Name]['params'];

/** Input of an operation. Properties that the operation does not accept are a type error. */
export type Input<Name extends Operation> = (undefined extends Params<Name>
  ? { params?: undefined }
  : { params: Params<Name> }) & {
  query?: Query<Name>;
} & (undefined extends Body<Name> ? { body?: Body<Name> } : { body: Body<Name> });

type Rows<List> = List extends (infer Row)[] ? Row : never;
export type Pipeline = Rows<Answer<'GET /api/v1/pipelines'>>;
export type Session = Answer<'GET /api/v1/session'>;
