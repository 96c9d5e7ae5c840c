import type { OPERATIONS } from '../../../src/api/operations.ts';

// The operations' own schemas, as types alone: nothing of the service gets into the bundle.

type Conversation = NonNullable<(typeof OPERATIONS)[number]['types']>;

/** Every operation by its method and path: `'GET /api/v1/pipelines/{pipeline_id}'`. */
type Api = { [Each in Conversation as `${Uppercase<Each['method']>} ${Each['path']}`]: Each };

export type Operation = keyof Api;
export type Reading = Extract<Operation, `GET ${string}`>;
export type Changing = Exclude<Operation, Reading>;

/** What an operation answers: `Answer<'GET /api/v1/pipelines'>`. */
export type Answer<Name extends Operation> = Api[Name]['answer'];
export type Body<Name extends Operation> = Api[Name]['body'];
export type Query<Name extends Operation> = NonNullable<Api[Name]['query']>;
type Params<Name extends Operation> = Api[Name]['params'];

/** What a caller gives an operation; what it does not take cannot be given. */
export type Input<Name extends Operation> = (undefined extends Params<Name>
  ? { params?: undefined }
  : { params: Params<Name> }) & {
  query?: Query<Name>;
} & (undefined extends Body<Name> ? { body?: Body<Name> } : { body: Body<Name> });

type Rows<List> = List extends (infer Row)[] ? Row : never;
export type Pipeline = Rows<Answer<'GET /api/v1/pipelines'>>;
export type Session = Answer<'GET /api/v1/session'>;
