/** Tags that group operations in the OpenAPI description, with the description of each group. */
export const TAGS = {
  Session: 'Who the caller is, and signing a browser in with an API key.',
  'API keys': 'Keys with which programs and people send requests.',
  Administration: 'For the operator of the installation. These operations take the bootstrap key only.',
  Files: 'Uploaded files and their bytes.',
  Directories: 'Named sets of files, which a batch can process.',
  'Page images': 'The pages of a file: facts, text, images and figures.',
  'Data sinks': 'Connections to vector stores in which pipelines keep their index.',
  'Data sources': 'Connections to systems whose files pipelines read.',
  'Embedding model configs': 'Saved embedding models that pipelines use.',
  Organizations: 'Organizations and their members.',
  Projects: 'Projects with their limits, retention periods, model settings and exports.',
  Pipelines: 'Pipelines turn files and documents into a searchable index.',
  'Pipeline data sources': 'The data sources that a pipeline reads, and how often.',
  'Pipeline files': 'The files of a pipeline with their states and metadata.',
  'Pipeline documents': 'Texts that are put into a pipeline without a file.',
  Sync: 'Runs that bring the index of a pipeline up to date.',
  Retrieval: 'Searching the index of a pipeline.',
  Retrievers: 'Searching several pipelines as one.',
  Chat: 'Answers from documents, and the conversations with them.',
  Traces: 'Recorded retrievals and answers, and feedback on them.',
  Evaluations:
    'Sets of questions or files with expected results, and runs that measure retrieval, answers, extraction and ' +
    'classification with them.',
  Parse: 'Jobs that turn a file into text, Markdown and typed items.',
  Extract: 'Jobs that extract data from a document into the shape of a JSON Schema.',
  Classify: 'Jobs that decide which of your rules describes a document best.',
  Split: 'Jobs that divide a file with several documents into segments by categories.',
  Sheets: 'Jobs that find the tables of a spreadsheet, each with its place and a download.',
  Batches: 'Many files that are extracted, classified or parsed together, and the review of their results.',
  'Agent data': 'JSON objects that agents and other programs keep in named collections.',
  Webhooks: 'URLs that are called when jobs change their state, and the log of these calls.',
  Usage: 'What a project has used.',
  Configurations: 'Saved parameters of jobs.',
  Parsing: 'Parse jobs in the shapes of older clients.',
  'Extraction agents': 'Saved extraction settings in the shapes of older clients.',
  'Extraction jobs': 'Extract jobs in the shapes of older clients.',
  'Extraction runs': 'Extract jobs with their results, in the shapes of older clients.',
  'Classifier jobs': 'Classify jobs over several files, in the shapes of older clients.',
  Models: 'Pipelines and retrievers as models.',
  'Vector stores': 'Pipelines as the vector stores of OpenAI clients.',
  Embeddings: 'Vectors of the embedding model of a pipeline.',
  Health: 'Checks for load balancers, monitoring and operators.',
} as const satisfies Record<string, string>;

export type Tag = keyof typeof TAGS;

/** Returns the names and descriptions of the tags in use, in the order of `TAGS`. */
export function describeTags(used: ReadonlySet<string>): { name: string; description: string }[] {
  return Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}
