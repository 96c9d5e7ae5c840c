import { CLASS_NAMES, COMPONENT_FIELDS, kindOfClass } from './kinds.ts';
import { NEUTRAL_WORDS, WORDS } from './words.ts';

type Component = Record<string, unknown>;
type Names = Readonly<Record<string, string>>;

/** The kind whose components name a model by a word of the API. */
const NAMES_A_MODEL = 'PROVIDER_F_EMBEDDING';

/** A component of the kind (its neutral name, where one was sent) as the service knows it. */
export function componentFromClient(sent: string | undefined, component: Component): Component {
  const kind = sent ?? kindOfClass(component.class_name);
  const names = reversed(fieldsOf(kind));
  return withModel(kind, NEUTRAL_WORDS, renamed(names, component));
}

/** A component of the kind as clients know it, which say in each of which class it is. */
export function componentForClient(sent: string | undefined, component: Component): Component {
  const kind = sent ?? kindOfClass(component.class_name);
  const known = withModel(kind, WORDS, renamed(fieldsOf(kind), component));
  if (kind === undefined || !Object.hasOwn(CLASS_NAMES, kind)) return known;
  return { ...known, class_name: known.class_name ?? CLASS_NAMES[kind] };
}

const fieldsOf = (kind: string | undefined): Names =>
  kind !== undefined && Object.hasOwn(COMPONENT_FIELDS, kind) ? COMPONENT_FIELDS[kind]! : {};

const reversed = (names: Names): Names =>
  Object.fromEntries(Object.entries(names).map(([one, other]) => [other, one]));

function renamed(names: Names, component: Component): Component {
  const members = Object.entries(component).map(([name, member]) => [named(names, name), member]);
  return Object.fromEntries(members);
}

function withModel(kind: string | undefined, words: Names, component: Component): Component {
  const { model_name: model } = component;
  if (kind !== NAMES_A_MODEL || typeof model !== 'string') return component;
  return { ...component, model_name: named(words, model) };
}

const named = (names: Names, name: string): string => (Object.hasOwn(names, name) ? names[name]! : name);
