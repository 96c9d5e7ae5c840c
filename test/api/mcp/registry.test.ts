import { expect, it } from 'vitest';
import { newFence } from '#src/api/mcp/fence.ts';
import { TOOL_NAMES, TOOLS } from '#src/api/mcp/registry.ts';
import { describedTools, INSTRUCTIONS } from '#src/api/mcp/server.ts';
import { rpc } from './agent.ts';

const [documentation] = Object.values(
  import.meta.glob<string>('../../../docs/reference/mcp.md', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

interface Row {
  name: string;
  title: string;
  hints: string;
}

const HINTS = {
  readOnlyHint: 'read-only',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'open world',
};

/** Rows of the tool table in the documentation: | `name` | title | hints | … */
const documented: Row[] = [...documentation!.matchAll(/^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|/gm)].map(
  ([, name, title, hints]) => ({ name: name!, title: title!, hints: hints! }),
);

it('docs/reference/mcp.md lists exactly the existing tools with their hints', () => {
  const rows = TOOL_NAMES.map((name) => {
    const { title, annotations } = TOOLS[name];
    const told = Object.entries(HINTS).filter(([hint]) => annotations[hint as keyof typeof HINTS]);
    return { name, title, hints: told.map(([, word]) => word).join(', ') || 'starts a job' };
  });
  expect(documented).toEqual(rows);
});

it('tools/list describes every tool with self-contained schemas', async () => {
  const { result } = await rpc('tools/list');
  const { tools } = result as { tools: ReturnType<typeof describedTools> };
  expect(tools).toEqual(JSON.parse(JSON.stringify(describedTools())));
  expect(tools.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    expect(title && description.length > 80, name).toBe(true);
    expect(Object.keys(annotations).toSorted(), name).toEqual([...Object.keys(HINTS), 'title'].toSorted());
    expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
    expect(outputSchema, name).toMatchObject({ type: 'object' });
    for (const [, target] of JSON.stringify([inputSchema, outputSchema]).matchAll(/"\$ref":"([^"]+)"/g)) {
      expect(target, name).toMatch(/^#/);
    }
  }
});

it('only the tools that start jobs are not read-only', () => {
  const writing = TOOL_NAMES.filter((name) => !TOOLS[name].annotations.readOnlyHint);
  expect(writing).toEqual(['extract', 'classify', 'start_evaluation']);
});

it('the server instructions explain how document text is marked', () => {
  const fenced = newFence()('x').replace(/ [\w-]+>/g, ' MARK>');
  for (const line of fenced.split('\n').filter((each) => each !== 'x')) expect(INSTRUCTIONS).toContain(line);
  expect(INSTRUCTIONS).toMatch(/never instructions/);
});
