import { describeTags } from './tags.ts';

export interface Described {
  paths: Record<string, Record<string, { tags?: string[] }>>;
  components: Record<string, Record<string, unknown>>;
}

/** Adds the tags that operations of the description have. */
export function withTags<D extends Described>(description: D) {
  const operations = Object.values(description.paths).flatMap((item) => Object.values(item));
  return { ...description, tags: describeTags(new Set(operations.flatMap(({ tags = [] }) => tags))) };
}

/** Removes components that nothing refers to, which a mount with few operations has. Security schemes stay. */
export function dropUnusedComponents<D extends Described>(description: D): D {
  const { components, ...rest } = description;
  const used = new Set<string>();
  const open = [...listReferences(rest)];
  for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
    if (used.has(reference)) continue;
    used.add(reference);
    const [, , kind = '', name = ''] = reference.split('/');
    open.push(...listReferences(components[kind]?.[name]));
  }
  const kept = Object.entries(components).map(([kind, named]) => [
    kind,
    kind === 'securitySchemes' ? named : pickUsed(named, `#/components/${kind}/`, used),
  ]);
  return { ...description, components: Object.fromEntries(kept) };
}

const pickUsed = (named: Record<string, unknown>, prefix: string, used: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(named).filter(([name]) => used.has(`${prefix}${name}`)));

function* listReferences(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, member] of Object.entries(node)) {
    if (name === '$ref' && typeof member === 'string') yield member;
    else yield* listReferences(member);
  }
}
