import type { Tool } from './tool.ts';
import { ask } from './tools/ask.ts';
import { classify } from './tools/classify.ts';
import { compareEvaluations } from './tools/compare-evaluations.ts';
import { getEvaluation, startEvaluation } from './tools/evaluation-runs.ts';
import { extract } from './tools/extract.ts';
import { findFiles } from './tools/find-files.ts';
import { getJob } from './tools/get-job.ts';
import { listPipelines } from './tools/list-pipelines.ts';
import { listQuestionSets } from './tools/list-question-sets.ts';
import { readPages } from './tools/read-pages.ts';
import { search } from './tools/search.ts';

/** Tools in the order in which clients see them. */
export const TOOL_NAMES = [
  'list_pipelines',
  'search',
  'ask',
  'find_files',
  'read_pages',
  'extract',
  'classify',
  'get_job',
  'list_question_sets',
  'start_evaluation',
  'get_evaluation',
  'compare_evaluations',
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** Tool definitions by name. The type checker reports a tool that is missing or has the wrong name. */
export const TOOLS: { readonly [Name in ToolName]: Tool<Name> } = {
  list_pipelines: listPipelines,
  search,
  ask,
  find_files: findFiles,
  read_pages: readPages,
  extract,
  classify,
  get_job: getJob,
  list_question_sets: listQuestionSets,
  start_evaluation: startEvaluation,
  get_evaluation: getEvaluation,
  compare_evaluations: compareEvaluations,
};

export const isToolName = (name: string): name is ToolName => Object.hasOwn(TOOLS, name);
