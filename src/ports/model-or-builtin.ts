import { getErrorMessage } from '#src/lib/errors.ts';

/** One way to perform a task, with the name that the notes show, such as a model's name or `builtin/wording-1`. */
interface Method<Value> {
  name: string;
  run: () => Value | Promise<Value>;
}

/**
 * Performs a task with a language model or reranker. Without one, or if it fails, the built-in method performs the task.
 * `notes` receives the name of the method that was used under `task`, and the reason why the model was not used under
 * `<task>_fallback`. An error of the built-in method is thrown.
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
