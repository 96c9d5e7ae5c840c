import { z } from 'zod';
import { Budget } from '#src/api/mcp/budget.ts';
import { goOn, pageInput } from '#src/api/mcp/page.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { buildPageSchema } from '#src/api/operation/schemas.ts';
import { presentQuestionSet, questionSetBody } from '#src/api/v1/evaluations/question-sets.schemas.ts';
import { getQuestionSetPage } from '#src/services/evaluations/question-sets.ts';

const questionSet = questionSetBody.pick({
  id: true,
  name: true,
  description: true,
  version: true,
  question_count: true,
});

export const listQuestionSets = tool({
  name: 'list_question_sets',
  title: 'List question sets',
  description:
    'Lists the question sets of the project, newest first, with the number of their questions. A question set contains ' +
    'questions and the results that retrieval should find for them. start_evaluation measures a pipeline with one.',
  input: pageInput.extend({
    name: z.string().nullish().describe('Only the question set with exactly this name.'),
  }),
  output: buildPageSchema(questionSet),
  needs: 'read',
  annotations: READS,
  async handle({ ctx, input, fence }) {
    const page = await getQuestionSetPage(ctx, input);
    const items = page.items.map(presentQuestionSet);
    const lines = items.map(
      ({ id, name, question_count }) => `- ${id} ${JSON.stringify(name)}: ${question_count} questions`,
    );
    const { text } = new Budget().take(lines.join('\n'));
    return {
      data: { ...page, items: items.map((item) => questionSet.parse(item)) },
      text: `${items.length} question sets.\n${fence(text)}${goOn(page.next_page_token)}`,
    };
  },
});
