import { type SinkType, sinkComponents } from '#src/sinks/registry.ts';
import { CLASS_NAMES, COMPONENT_FIELDS, getKindByClassName } from './kinds.ts';
import { CLIENT_WORDS, NEUTRAL_WORDS } from './words.ts';

type Component = Record<string, unknown>;
type Names = Readonly<Record<string, string>>;

/** Embedding model type whose model names differ between the API and its clients. */
const KIND_WITH_MODEL_WORD = 'PROVIDER_F_EMBEDDING';

/**
 * Converts a component of a data sink, data source or embedding model from the names that LlamaCloud clients
 * use. `sent` is the type in the API's own names, if the client sent one. Otherwise the class name determines
 * the type.
 */
export function componentFromClient(sent: string | undefined, component: Component): Component {
  const kind = sent ?? getKindByClassName(component.class_name);
  const names = reverseNames(getFieldNames(kind));
  return translateModelName(kind, NEUTRAL_WORDS, renameMembers(names, component));
}

/**
 * Converts a component to the names that LlamaCloud clients use, and adds the class name that they expect.
 */
export function componentForClient(sent: string | undefined, component: Component): Component {
  const kind = sent ?? getKindByClassName(component.class_name);
  const known = translateModelName(kind, CLIENT_WORDS, renameMembers(getFieldNames(kind), component));
  if (kind === undefined || !Object.hasOwn(CLASS_NAMES, kind)) return known;
  return { ...known, class_name: known.class_name ?? CLASS_NAMES[kind] };
}

/**
 * Returns the members of a data sink's component that its type does not have. Returns none if the type has none
 * of the members, because such a component is stored unchanged. Clients of LlamaCloud may send settings of
 * libraries that Sluice does not use.
 */
export function listUnknownSinkMembers(kind: string, component: Component): string[] {
  if (!Object.hasOwn(sinkComponents, kind)) return [];
  const { shape } = sinkComponents[kind as SinkType];
  const names = Object.keys(component).filter((name) => name !== 'class_name');
  const unknown = names.filter((name) => !Object.hasOwn(shape, name));
  return unknown.length < names.length ? unknown : [];
}

const getFieldNames = (kind: string | undefined): Names =>
  kind !== undefined && Object.hasOwn(COMPONENT_FIELDS, kind) ? COMPONENT_FIELDS[kind]! : {};

const reverseNames = (names: Names): Names =>
  Object.fromEntries(Object.entries(names).map(([one, other]) => [other, one]));

function renameMembers(names: Names, component: Component): Component {
  const members = Object.entries(component).map(([name, member]) => [translateName(names, name), member]);
  return Object.fromEntries(members);
}

function translateModelName(kind: string | undefined, words: Names, component: Component): Component {
  const { model_name: model } = component;
  if (kind !== KIND_WITH_MODEL_WORD || typeof model !== 'string') return component;
  return { ...component, model_name: translateName(words, model) };
}

const translateName = (names: Names, name: string): string =>
  Object.hasOwn(names, name) ? names[name]! : name;
