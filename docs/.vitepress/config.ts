import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { bundledPackages } from './bundled-packages.ts';
import { moveInlineCode } from './inline-code.ts';
import { linksOutside } from './links-outside.ts';

/*
 * Builds the pages of docs/ into the guide that the service serves at /docs/guide. Everything is loaded from the
 * service itself, so the guide works offline. A link to a page that does not exist fails the build.
 */

const DOCS = join(import.meta.dirname, '..');
const OUT = join(DOCS, '../public/docs/guide');

/** Turns the colours of highlighted code into classes, because the service forbids inline styles. */
const codeColors = transformerStyleToClass({ classPrefix: 'code-' });

export default defineConfig({
  title: 'Sluice',
  description: 'Guide to Sluice: tutorials, how-to guides, reference and explanation.',
  lang: 'en',
  base: '/docs/guide/',
  outDir: OUT,
  cacheDir: join(DOCS, '../node_modules/.cache/vitepress'),
  srcExclude: ['pictures/**'],
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: true,
  // The theme would insert a style element to switch colours without transition, which the service forbids.
  appearance: { disableTransition: false },
  // A link to another page must lead somewhere. Addresses of a local service need not.
  ignoreDeadLinks: 'localhostLinks',
  metaChunk: true,
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['link', { rel: 'stylesheet', href: '/docs/guide/code.css' }],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    codeTransformers: [codeColors],
    config: (md) => md.use(linksOutside, DOCS),
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Console', link: '/console/', target: '_self' },
      { text: 'API reference', link: '/docs', target: '_self' },
    ],
    sidebar: [
      {
        text: 'Start here',
        items: [
          { text: 'Overview', link: '/' },
          ...['glossary', 'errors', 'architecture'].map((name) => pageItem(`${name}.md`)),
        ],
      },
      { text: 'Tutorials', items: folderItems('tutorials') },
      { text: 'How-to guides', items: folderItems('how-to') },
      { text: 'Reference', items: folderItems('reference') },
      { text: 'Explanation', items: folderItems('explanation') },
    ],
  },
  transformHtml: (html) => moveInlineCode(html, OUT, '/docs/guide/'),
  buildEnd: () => writeFileSync(join(OUT, 'code.css'), codeColors.getCSS()),
  vite: {
    plugins: [bundledPackages(join(OUT, 'packages.json'))],
    // Vite's default includes browsers that the project's version of esbuild cannot transform code for.
    build: { target: 'es2022' },
  },
});

/** Lists the pages of a folder of docs/ by title. */
function folderItems(folder: string): DefaultTheme.SidebarItem[] {
  return readdirSync(join(DOCS, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => pageItem(`${folder}/${file}`))
    .toSorted((a, b) => a.text.localeCompare(b.text, 'en'));
}

/** Returns the sidebar entry of a page. Its text is the page's title, which is its first line. */
function pageItem(path: string): { text: string; link: string } {
  const [title = ''] = readFileSync(join(DOCS, path), 'utf8').split('\n');
  if (!title.startsWith('# ')) throw new Error(`docs/${path} does not begin with a title ("# ...").`);
  return { text: title.slice(2), link: `/${path.replace(/\.md$/, '')}` };
}
