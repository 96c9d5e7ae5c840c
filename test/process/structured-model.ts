import { strictFaults } from '#test/support/strict-schema.ts';
import { Receiver, type Reply } from './receiver.ts';

export interface Question {
  model: string;
  messages: { role: string; content: string }[];
  response_format: {
    type: string;
    json_schema: { strict: boolean; schema: { properties: Record<string, never> } };
  };
}

/** Answer of the model to a prompt: a structured object or another reply. */
export type Answer = (prompt: string, question: Question) => object | Reply;

/**
 * Implements chat completions for structured answers and rejects invalid requests, including strict schemas
 * outside the strict subset.
 */
export function structuredModel(answer: Answer): { model: Receiver; questions: Question[] } {
  const questions: Question[] = [];
  const model = new Receiver((path, _n, body) => {
    const question = JSON.parse(body.toString('utf8')) as Question;
    const format = question.response_format;
    if (path !== '/v1/chat/completions' || format?.type !== 'json_schema' || !format.json_schema.schema) {
      return { status: 400, text: '{"error":{"message":"not in the protocol"}}' };
    }
    const faults = format.json_schema.strict ? strictFaults(format.json_schema.schema) : [];
    if (faults.length > 0) {
      const message = `Invalid schema for response_format 'response': ${faults.join('; ')}`;
      return { status: 400, text: JSON.stringify({ error: { message } }) };
    }
    questions.push(question);
    const content = answer(question.messages.at(-1)!.content, question);
    const headers = { 'content-type': 'application/json' };
    if ('status' in content) return { ...content, headers } as Reply;
    const message = { role: 'assistant', content: JSON.stringify(content) };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const completion = {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: question.model,
      choices,
      usage,
    };
    return { status: 200, headers, text: JSON.stringify(completion) };
  });
  return { model, questions };
}
