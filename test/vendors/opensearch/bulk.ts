import { Refused } from '../behaviour.ts';
import { change, type Index } from './cluster.ts';
import { addGuessedFields, findDocumentProblem, type Source } from './mapping.ts';

type Line = Record<string, unknown>;
interface Action {
  name: 'index' | 'update' | 'delete';
  id: string;
  body: Line | undefined;
}

/** Members of the actions that the tested driver may send. */
const META: Record<Action['name'], string[]> = {
  index: ['_id'],
  update: ['_id', 'retry_on_conflict'],
  delete: ['_id'],
};

const refuse = (message: string) => new Refused({ status: 400, message });

/** Reads the lines of a bulk request. Throws if an action is malformed. */
export function readActions(lines: Line[]): Action[] {
  const actions: Action[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [[name, meta] = ['', undefined], ...others] = Object.entries(lines[at]!);
    const members = META[name as Action['name']];
    const isKnown = members && typeof meta === 'object' && meta !== null && others.length === 0;
    const unknown = isKnown ? Object.keys(meta).find((each) => !members.includes(each)) : name;
    if (unknown !== undefined) throw refuse(`Malformed action/metadata line [${at + 1}], found [${unknown}]`);
    const { _id: id } = meta as { _id: string };
    const body = name === 'delete' ? undefined : lines[++at];
    if (name !== 'delete' && !body) throw refuse('The bulk request must be terminated by a newline');
    if (name === 'update' && Object.keys(body!).join() !== 'doc')
      throw refuse('unknown field in UpdateRequest');
    actions.push({ name: name as Action['name'], id, body });
  }
  return actions;
}

interface Failure {
  status: number;
  type: string;
  reason: string;
}

export const failItem = ({ name, id }: Action, target: string, { status, type, reason }: Failure) => ({
  [name]: { _index: target, _id: id, status, error: { type, reason } },
});

/** Applies one action and returns its result. */
export function applyAction(index: Index, action: Action) {
  const { name, id, body } = action;
  const held = index.points.get(id);
  const done = (status: number, result: string) => ({
    [name]: { _index: index.name, _id: id, _version: 1, result, status },
  });
  if (name === 'delete') {
    if (held) change(index, id, undefined);
    return held ? done(200, 'deleted') : done(404, 'not_found');
  }
  if (name === 'update' && !held) {
    const failure = { status: 404, type: 'document_missing_exception', reason: `[${id}]: document missing` };
    return failItem(action, index.name, failure);
  }
  const source = name === 'update' ? merge(held!, (body as { doc: Source }).doc) : body!;
  addGuessedFields(source, index.fields, index.dynamic);
  const problem = findDocumentProblem(source, index.fields);
  if (problem)
    return failItem(action, index.name, { status: 400, type: 'mapper_parsing_exception', reason: problem });
  change(index, id, source);
  return held ? done(200, 'updated') : done(201, 'created');
}

/** Merges a partial document as servers do: objects are merged member by member, other values are replaced. */
function merge(one: Source, other: Source): Source {
  const isObject = (value: unknown): value is Source =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(other).map(([name, value]) => {
    const held = one[name];
    return [name, isObject(held) && isObject(value) ? merge(held, value) : value];
  });
  return { ...one, ...Object.fromEntries(entries) };
}
