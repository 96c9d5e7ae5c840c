/**
 * Function that a value passes through, as `path#name`, and the name of the value or its container in that
 * function.
 */
export type WalkedFunction = readonly [place: string, valueName: string];

/** Functions that one value passes through, as they were in one state of the source tree. */
export interface Route {
  /** State of the source tree that the route describes. */
  tree: string;
  /** Functions that the value passes through, in the order in which they receive it. */
  functions: readonly WalkedFunction[];
}

/**
 * Value that is followed through the code, from the HTTP request to the place where the value takes effect.
 */
export interface Walk {
  value: string;
  from: string;
  to: string;
  /**
   * Routes by state of the tree, oldest first. When functions move, add a route for the new state and keep
   * the old one. `npm run structure` uses the last route whose functions all exist in the checkout.
   */
  routes: readonly Route[];
}

/*
 * A route lists the functions that receive the value from a caller, or load it, and pass it on. A function
 * that gets the value back from a call and passes it to another room is listed again. Validation by zod, code
 * of packages, and generic helpers (`src/lib`, `src/ids.ts`) are left out.
 */

const FILE_ID: Walk = {
  value: 'file id',
  from: '`file_id` in the body of `POST /api/v2/parse`',
  to: "the file's row, which names its bytes",
  routes: [
    {
      tree: 'before rooms were folders',
      functions: [
        ['src/api/endpoint.ts#execute', 'rawBody'],
        ['src/api/read-input.ts#parseParts', 'value'],
        ['src/api/v2/parse.ts#parseOperations.handle', 'body.file_id'],
        ['src/services/jobs/parse-jobs.ts#createParseJob', 'input.file_id'],
        ['src/services/jobs/parse-jobs.ts#fileIdOf', 'id'],
        ['src/services/files/files.ts#getFile', 'id'],
        ['src/services/files/files.ts#fileQuery', 'id'],
        ['src/services/jobs/parse-jobs.ts#createParseJob', 'fileId'],
        ['src/services/jobs/create.ts#recordJob', 'columns.fileId'],
        ['src/db/schema/jobs.ts#parseJobs', 'file_id'],
        ['queues/parse.ts#parse', 'jobId'],
        ['src/services/jobs/run-job.ts#runJob', 'running.job'],
        ['src/services/jobs/perform-parse.ts#performParse', 'job'],
        ['src/services/jobs/fetch-input.ts#fetchInput', 'job.fileId'],
        ['src/services/jobs/perform-parse.ts#performParse', 'source.fileId'],
        ['src/services/jobs/pages.ts#parseForJob', 'fileId'],
        ['src/db/schema/files.ts#files', 'files.id'],
      ],
    },
    {
      tree: 'rooms are folders',
      functions: [
        ['src/api/operation/endpoint.ts#execute', 'rawBody'],
        ['src/api/http/read-input.ts#parseParts', 'value'],
        ['src/api/v2/parse.ts#parseOperations.handle', 'body.file_id'],
        ['src/services/jobs/parse/parse-jobs.ts#createParseJob', 'input.file_id'],
        ['src/services/jobs/parse/parse-jobs.ts#resolveFileId', 'id'],
        ['src/services/files/files.ts#getFile', 'id'],
        ['src/services/files/files.ts#selectFile', 'id'],
        ['src/services/jobs/parse/parse-jobs.ts#createParseJob', 'fileId'],
        ['src/services/jobs/create.ts#insertJob', 'columns.fileId'],
        ['src/db/schema/jobs.ts#parseJobs', 'file_id'],
        ['queues/parse.ts#parse', 'jobId'],
        ['src/services/jobs/run-job.ts#runJob', 'running.job'],
        ['src/services/jobs/parse/perform-parse.ts#performParse', 'job'],
        ['src/services/jobs/fetch-input.ts#fetchInput', 'job.fileId'],
        ['src/services/jobs/parse/perform-parse.ts#performParse', 'source.fileId'],
        ['src/services/jobs/pages.ts#parseForJob', 'fileId'],
        ['src/db/schema/files.ts#files', 'files.id'],
      ],
    },
  ],
};

const QUESTION: Walk = {
  value: 'question',
  from: 'the last message in the body of `POST /api/v1/pipelines/{pipeline_id}/chat`',
  to: 'the words that a shard looks up',
  routes: [
    {
      tree: 'before rooms were folders',
      functions: [
        ['src/api/endpoint.ts#execute', 'rawBody'],
        ['src/api/read-input.ts#parseParts', 'value'],
        ['src/api/v1/chat.ts#chatsWith.handle', 'body'],
        ['src/services/chat/chat.ts#beginChat', 'request'],
        ['src/services/chat/chat.ts#whatIsAsked', 'messages'],
        ['src/chat/input.ts#turnsOf', 'messages'],
        ['src/services/chat/chat.ts#questionOf', 'turns'],
        ['src/services/chat/chat.ts#beginChat', 'order.request'],
        ['durable-objects/chat-stream.ts#ChatStream.begin', 'order'],
        ['src/services/chat/record-answer.ts#recordAnswer', 'order'],
        ['src/services/chat/record-answer.ts#answerTo', 'request.messages'],
        ['src/chat/index.ts#chat', 'job'],
        ['src/chat/answer.ts#answer', 'job.turns'],
        ['src/chat/condense.ts#condense', 'asked'],
        ['src/chat/search-parts.ts#partsOf', 'question'],
        ['src/builtin/question-parts.ts#questionParts', 'question'],
        ['src/chat/search-parts.ts#searchParts', 'parts'],
        ['src/services/chat/search.ts#searchIn.retrieve', 'question'],
        ['src/services/chat/search.ts#inPipeline', 'question'],
        ['src/services/retrieval/retrieval.ts#retrieveFrom', 'query'],
        ['src/retrieval/index.ts#retrieve', 'query'],
        ['src/retrieval/modes/chunks.ts#rankedChunks', 'query'],
        ['src/retrieval/modes/chunks.ts#searchChunks', 'query'],
        ['src/retrieval/modes/chunks.ts#querySink', 'query.text'],
        ['src/sinks/open-driver.ts#openDriver.sink.query', 'text'],
        ['src/sinks/managed/managed-index.ts#managedIndex', 'query'],
        ['src/search/fan-out.ts#queryShards', 'query.text'],
        ['durable-objects/search-shard.ts#SearchShard.query', 'query'],
        ['durable-objects/search-shard/answer.ts#answerQuery', 'text'],
        ['durable-objects/search-shard/ranking.ts#rankSparse', 'text'],
        ['src/search/query.ts#analyseQuery', 'text'],
      ],
    },
    {
      tree: 'rooms are folders',
      functions: [
        ['src/api/operation/endpoint.ts#execute', 'rawBody'],
        ['src/api/http/read-input.ts#parseParts', 'value'],
        ['src/api/v1/chat/chat.ts#chatsWith.handle', 'body'],
        ['src/chat/sessions/chat.ts#beginChat', 'request'],
        ['src/chat/sessions/chat.ts#checkChatRequest', 'messages'],
        ['src/chat/input.ts#toTurns', 'messages'],
        ['src/chat/sessions/chat.ts#requireQuestion', 'turns'],
        ['src/chat/sessions/chat.ts#beginChat', 'order.request'],
        ['durable-objects/chat-stream.ts#ChatStream.begin', 'order'],
        ['src/chat/sessions/record-answer.ts#recordAnswer', 'order'],
        ['src/chat/sessions/record-answer.ts#generateChunks', 'request.messages'],
        ['src/chat/index.ts#chat', 'job'],
        ['src/chat/answer.ts#answer', 'job.turns'],
        ['src/chat/condense.ts#condenseQuestion', 'lastQuestion'],
        ['src/chat/search-parts.ts#splitQuestion', 'question'],
        ['src/builtin/question-parts.ts#splitIntoQuestions', 'question'],
        ['src/chat/search-parts.ts#searchParts', 'parts'],
        ['src/chat/sessions/search.ts#createSearch.retrieve', 'question'],
        ['src/chat/sessions/search.ts#searchPipeline', 'question'],
        ['src/retrieval/retrieval.ts#retrieveFrom', 'query'],
        ['src/retrieval/index.ts#retrieve', 'query'],
        ['src/retrieval/modes/chunks.ts#retrieveChunks', 'query'],
        ['src/retrieval/modes/chunks.ts#searchChunks', 'query'],
        ['src/retrieval/modes/chunks.ts#querySink', 'query.text'],
        ['src/sinks/open-driver.ts#openDriver.sink.query', 'text'],
        ['src/sinks/managed/managed-index.ts#createManagedIndex', 'query'],
        ['src/search/fan-out.ts#queryShards', 'query.text'],
        ['durable-objects/search-shard.ts#SearchShard.query', 'query'],
        ['durable-objects/search-shard/answer.ts#answerQuery', 'text'],
        ['durable-objects/search-shard/ranking.ts#rankSparse', 'text'],
        ['src/search/query.ts#analyseQuery', 'text'],
      ],
    },
  ],
};

const PIPELINE_ID: Walk = {
  value: 'pipeline id',
  from: 'the path of `GET /api/v1/pipelines/{pipeline_id}`',
  to: "the pipeline's row",
  routes: [
    {
      tree: 'before rooms were folders',
      functions: [
        ['src/api/endpoint.ts#execute', 'values.path'],
        ['src/api/v1/pipelines.ts#pipelineOperations.handle', 'params.pipeline_id'],
        ['src/services/pipelines/pipelines.ts#getPipeline', 'id'],
        ['src/db/schema/pipelines.ts#pipelines', 'pipelines.id'],
      ],
    },
    {
      tree: 'rooms are folders',
      functions: [
        ['src/api/operation/endpoint.ts#execute', 'values.path'],
        ['src/api/v1/pipelines/pipelines.ts#pipelineOperations.handle', 'params.pipeline_id'],
        ['src/services/pipelines/pipelines.ts#getPipeline', 'id'],
        ['src/db/schema/pipelines.ts#pipelines', 'pipelines.id'],
      ],
    },
  ],
};

const PARSE_PARAMETER: Walk = {
  value: 'parse parameter',
  from: '`max_pages` in the body of `POST /api/v2/parse`',
  to: 'the selection of the pages that the parser reads',
  routes: [
    {
      tree: 'before rooms were folders',
      functions: [
        ['src/api/endpoint.ts#execute', 'rawBody'],
        ['src/api/read-input.ts#parseParts', 'value'],
        ['src/api/v2/parse.ts#parseOperations.handle', 'body'],
        ['src/services/jobs/parse-jobs.ts#createParseJob', 'input'],
        ['src/services/jobs/parse-jobs.ts#configurationOf', 'input.configuration'],
        ['src/services/jobs/parse-jobs.ts#createParseJob', 'chosen.parameters'],
        ['src/services/jobs/parse-jobs.ts#given', 'parameters'],
        ['src/services/jobs/parameters.ts#sealJobParameters', 'parameters'],
        ['src/services/secrets/secret-fields.ts#keepMasked', 'incoming'],
        ['src/services/secrets/secret-fields.ts#sealSecrets', 'value'],
        ['src/services/jobs/create.ts#recordJob', 'columns'],
        ['src/services/jobs/create.ts#rowOf', 'values'],
        ['src/db/schema/jobs.ts#parseJobs', 'configuration'],
        ['queues/parse.ts#parse', 'jobId'],
        ['src/services/jobs/transitions.ts#markRunning', 'found'],
        ['src/services/jobs/run-job.ts#runJob', 'running.job'],
        ['src/services/jobs/perform-parse.ts#performParse', 'job'],
        ['src/services/jobs/parameters.ts#openJobParameters', 'job.configuration'],
        ['src/services/secrets/secret-fields.ts#openSecrets', 'value'],
        ['src/services/jobs/perform-parse.ts#performParse', 'parameters'],
        ['src/services/jobs/pages.ts#parseForJob', 'request'],
        ['src/services/parsing/open-parser.ts#alone.parseFile', 'request'],
        ['src/services/parsing/open-parser.ts#alone.told', 'request.parameters'],
        ['src/reading/layout-parameters.ts#parserParameters', 'given'],
        ['src/services/parsing/open-parser.ts#alone.parseFile', 'told(request)'],
        ['src/parsing/client.ts#createParser.parseFile', 'request'],
        ['src/parsing/client.ts#readingOnly', 'rest'],
        ['parser/worker.ts#Parser.parseFile', 'asked'],
        ['src/parsing/parse-file.ts#parseFile', 'request.parameters'],
        ['src/parsing/page-selection.ts#wantedPages', 'maxPages'],
      ],
    },
    {
      tree: 'rooms are folders',
      functions: [
        ['src/api/operation/endpoint.ts#execute', 'rawBody'],
        ['src/api/http/read-input.ts#parseParts', 'value'],
        ['src/api/v2/parse.ts#parseOperations.handle', 'body'],
        ['src/services/jobs/parse/parse-jobs.ts#createParseJob', 'input'],
        ['src/services/jobs/parse/parse-jobs.ts#chooseParseConfiguration', 'input.configuration'],
        ['src/services/jobs/parse/parse-jobs.ts#createParseJob', 'chosen.parameters'],
        ['src/services/jobs/parse/parse-jobs.ts#omitUnset', 'parameters'],
        ['src/services/jobs/parameters.ts#sealJobParameters', 'parameters'],
        ['src/services/secrets/secret-fields.ts#restoreSecrets', 'incoming'],
        ['src/services/secrets/secret-fields.ts#sealSecrets', 'value'],
        ['src/services/jobs/create.ts#insertJob', 'columns'],
        ['src/services/jobs/create.ts#buildJobRow', 'values'],
        ['src/db/schema/jobs.ts#parseJobs', 'configuration'],
        ['queues/parse.ts#parse', 'jobId'],
        ['src/services/jobs/transitions.ts#markRunning', 'found'],
        ['src/services/jobs/run-job.ts#runJob', 'running.job'],
        ['src/services/jobs/parse/perform-parse.ts#performParse', 'job'],
        ['src/services/jobs/parameters.ts#openJobParameters', 'job.configuration'],
        ['src/services/secrets/secret-fields.ts#openSecrets', 'value'],
        ['src/services/jobs/parse/perform-parse.ts#performParse', 'parameters'],
        ['src/services/jobs/pages.ts#parseForJob', 'request'],
        ['src/reading/service/open-parser.ts#createParserWithoutModel.parseFile', 'request'],
        ['src/reading/service/open-parser.ts#createParserWithoutModel.toParserRequest', 'request.parameters'],
        ['src/reading/plan/layout-parameters.ts#getParserParameters', 'given'],
        ['src/reading/service/open-parser.ts#createParserWithoutModel.parseFile', 'toParserRequest(request)'],
        ['src/parse/client.ts#createParser.parseFile', 'request'],
        ['src/parse/client.ts#toParserRequest', 'parameters'],
        ['src/parse/plan.ts#resolveParsePlan', 'parameters'],
        ['parser/worker.ts#Parser.parseFile', 'options'],
        ['src/parse-file/parse-file.ts#parseFile', 'request.plan.pages'],
        ['src/parse/wanted-pages.ts#wantedPages', 'most'],
      ],
    },
  ],
};

export const WALKS: readonly Walk[] = [FILE_ID, QUESTION, PIPELINE_ID, PARSE_PARAMETER];
