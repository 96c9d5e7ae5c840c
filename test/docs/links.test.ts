/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest';

/** Pages whose links must work, by path from the root of the repository. */
const PAGES = new Map(
  Object.entries(
    import.meta.glob<string>(
      ['/docs/**/*.md', '/*.md', '/test/vendors/README.md', '!/docs/.vitepress/**', '!**/node_modules/**'],
      { query: '?raw', import: 'default', eager: true },
    ),
  ).map(([path, text]) => [path.slice(1), text]),
);

/** Other files that pages link to. Only their names are used; nothing is loaded. */
const FILES = new Set(
  Object.keys(
    import.meta.glob(['/docs/pictures/*', '/examples/**/*', '/src/**/LICENSE*', '/LICENSE', '/test/**/*.md']),
  ).map((path) => path.slice(1)),
);

const withoutFences = (page: string): string => page.replaceAll(/^ *```[^\n]*\n[\s\S]*?^ *```/gm, '');

const withoutCode = (page: string): string => withoutFences(page).replaceAll(/`[^`\n]*`/g, '');

/** Resolves a relative link, as a browser would. */
const resolveLink = (from: string, link: string): string =>
  decodeURIComponent(new URL(link, `http://docs/${from}`).pathname.slice(1));

/** Returns the anchor that GitHub gives a heading. */
const toGitHubAnchor = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Returns the anchor that VitePress gives a heading. */
const toSiteAnchor = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');

function listAnchors(page: string): { github: Set<string>; site: Set<string> } {
  const headings = [...withoutFences(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, text = '']) =>
    text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, ''),
  );
  return { github: new Set(headings.map(toGitHubAnchor)), site: new Set(headings.map(toSiteAnchor)) };
}

function findBrokenLinks(from: string, page: string): string[] {
  const links = [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [path = '', anchor] = link.split('#', 2);
    const target = path === '' ? from : resolveLink(from, path);
    const text = PAGES.get(target);
    if (text === undefined) return !FILES.has(target);
    if (anchor === undefined) return false;
    const { github, site } = listAnchors(text);
    return !github.has(anchor) || (target.startsWith('docs/') && !site.has(anchor));
  });
}

it.each([...PAGES])('%s has no broken link', (path, page) => {
  expect(findBrokenLinks(path, page)).toEqual([]);
});

const DOCS = [...PAGES].filter(([path]) => path.startsWith('docs/'));

describe.each(DOCS)('%s', (_, page) => {
  it('has exactly one title', () => {
    expect([...withoutFences(page).matchAll(/^# .+$/gm)]).toHaveLength(1);
  });

  it('has no HTML and no template syntax outside of code', () => {
    const prose = withoutCode(page).replaceAll(/^ {4,}.*$/gm, '');
    expect(prose.match(/<\/?[a-z][\w-]*[\s>]|\{\{/gi) ?? []).toEqual([]);
  });
});

it.each(DOCS.filter(([path]) => /^docs\/(how-to|explanation)\//.test(path)))(
  '%s has at most 200 lines',
  (_, page) => {
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  },
);
