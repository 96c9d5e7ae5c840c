import { getErrorMessage } from '#src/lib/errors.ts';

/**
 * A way to perform a task, with the name that the response reports, such as a model's name or
 * `builtin/wording-1`.
 */
interface Method<Value> {
  name: string;
  run: () => Value | Promise<Value>;
}

/**
 * Performs a task with a language model or reranker. If there is no model or it fails, the built-in method
 * performs the task. `notes[task]` receives the name of the method that was used. If a model was not used,
 * `<task>_fallback` receives the reason. Errors of the built-in method are thrown.
 */
export async function modelOrBuiltin<Value>(
  task: string,
  notes: Record<string, string>,
  model: Method<Value> | undefined,
  builtin: Method<Value>,
): Promise<Value> {
  if (model) {
    try {
      const value = await model.run();
      notes[task] = model.name;
      return value;
    } catch (error) {
      notes[`${task}_fallback`] = `${model.name} failed: ${getErrorMessage(error)}`;
    }
  }
  notes[task] = builtin.name;
  return builtin.run();
}
