import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';

/** Maximum number of characters of an argument. */
const MAX_ARGUMENT = 4_000;

interface Template {
  title: string;
  description: string;
  /** Descriptions of the arguments by name. All of them are required. */
  arguments: Readonly<Record<string, string>>;
  write(given: Readonly<Record<string, string>>): string;
}

const FILE = 'Name or id of a file.';
const FIND = 'If it is a name and not an id, find the file with find_files first.';

const TEMPLATES: Readonly<Record<string, Template>> = {
  answer_with_sources: {
    title: 'Answer with sources',
    description: 'Answers a question from the documents and cites file and page.',
    arguments: { question: 'Question to answer.' },
    write: ({ question }) =>
      `Answer this question from the documents in Sluice: ${question}\n\nCall list_pipelines, choose the pipeline that fits, ` +
      'and search it, with other words too if the first results do not answer. Read more of a file with read_pages where a ' +
      'passage is not enough. Cite the file and page of every statement. Say so if the documents do not answer the question.',
  },
  summarize_file: {
    title: 'Summarize a file',
    description: 'Summarizes a file, however long it is.',
    arguments: { file: FILE },
    write: ({ file }) =>
      `Summarize the file ${file} in Sluice. ${FIND} Read all of it with read_pages, and go on with page_token until there ` +
      'is no next_page_token. Begin with the most important points, and name the page of each point.',
  },
  extract_fields: {
    title: 'Extract fields',
    description: 'Extracts fields from a file as JSON, with the place of each value.',
    arguments: { file: FILE, fields: 'Fields to extract, in words.' },
    write: ({ file, fields }) =>
      `Extract these fields from the file ${file} in Sluice: ${fields}\n\n${FIND} Write a JSON Schema for the fields with ` +
      'clear names and descriptions, and call extract with it. If the job takes longer, call get_job. Show the values in a ' +
      'table with the page of each value, and mark the ones that were not found.',
  },
  compare_files: {
    title: 'Compare two files',
    description: 'Lists the differences of two files, such as two versions of a contract.',
    arguments: { first_file: FILE, second_file: FILE },
    write: ({ first_file, second_file }) =>
      `Compare the files ${first_file} and ${second_file} in Sluice. ${FIND} Read both completely with read_pages. List what ` +
      'differs in content by subject, with the page in each file. Leave out differences of layout only.',
  },
};

/** Lists the prompts that a client can offer to its user. */
export const listPrompts = (): Prompt[] =>
  Object.entries(TEMPLATES).map(([name, { title, description, arguments: given }]) => ({
    ...{ name, title, description },
    arguments: Object.entries(given).map(([argument, text]) => ({
      name: argument,
      description: text,
      required: true,
    })),
  }));

/** Returns a prompt with its arguments. Throws ProtocolError if the prompt is unknown or an argument is missing. */
export function getPrompt(name: string, given: Readonly<Record<string, string>> = {}): GetPromptResult {
  const template = Object.hasOwn(TEMPLATES, name) ? TEMPLATES[name] : undefined;
  if (!template) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name.slice(0, 100)}`);
  }
  for (const argument of Object.keys(template.arguments)) {
    const value = Object.hasOwn(given, argument) ? given[argument]!.trim() : '';
    if (value === '' || value.length > MAX_ARGUMENT) {
      const message = `${argument} is required and may have at most ${MAX_ARGUMENT} characters`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
  }
  const text = template.write(given);
  return { description: template.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
