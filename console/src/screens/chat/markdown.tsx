import { createContext, memo, type ReactNode, useContext, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { buildUrl } from '../../api/client.ts';
import { useLanguage } from '../../i18n/language.ts';
import { t } from '../../i18n/messages.ts';
import { CitationMark } from './citation-mark.tsx';
import { citeMarks } from './cite-marks.ts';
import styles from './markdown.module.css';
import { splitIntoBlocks } from './markdown-blocks.ts';
import type { Source } from './messages.ts';
import { useGradualCount } from './use-gradual-count.ts';

interface MarkdownContextValue {
  sources: readonly Source[];
  onOpen?: ((source: Source) => void) | undefined;
}

const MarkdownContext = createContext<MarkdownContextValue>({ sources: [] });

/**
 * Renders untrusted Markdown of a model or a document. HTML is shown as text, links open in a new tab, and
 * the only images are figures of the cited documents.
 */
export const Markdown = memo(function Markdown({
  text,
  sources,
  onOpen,
}: {
  text: string;
} & MarkdownContextValue) {
  const contextValue = useMemo(() => ({ sources, onOpen }), [sources, onOpen]);
  const blocks = useMemo(() => splitIntoBlocks(text), [text]);
  const count = useGradualCount(blocks);
  return (
    <MarkdownContext.Provider value={contextValue}>
      <div className={styles.text} aria-busy={count < blocks.length || undefined}>
        {blocks.slice(0, count).map((block, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks never move, because text is only appended
          <Block key={position} text={block} />
        ))}
      </div>
    </MarkdownContext.Provider>
  );
});

/** Memoized, so that only the last block of a growing answer is parsed again. */
const Block = memo(function Block({ text }: { text: string }) {
  useLanguage();
  return (
    <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={REHYPE} components={COMPONENTS}>
      {text}
    </ReactMarkdown>
  );
});

const REMARK = [remarkGfm];
const REHYPE = [citeMarks];

/** Headings within an answer are rendered as bold text, so that they do not appear in the page's outline. */
const Heading = ({ children }: { children?: ReactNode }) => (
  <p dir="auto">
    <strong>{children}</strong>
  </p>
);

const COMPONENTS: Components = {
  p: ({ children }) => <p dir="auto">{children}</p>,
  li: ({ children }) => <li dir="auto">{children}</li>,
  ul: ({ children }) => <ul dir="auto">{children}</ul>,
  ol: ({ children, start }) => (
    <ol dir="auto" start={start}>
      {children}
    </ol>
  ),
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  th: ({ children, style }) => (
    <th dir="auto" style={style}>
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td dir="auto" style={style}>
      {children}
    </td>
  ),
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  a: ({ href, children }) =>
    /^(?:https?|mailto):/i.test(href ?? '') ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      children
    ),
  img: ({ src, alt }) => <Figure name={typeof src === 'string' ? src : ''} alt={alt ?? ''} />,
  input: ({ checked }) => (checked ? '☑ ' : '☐ '),
  cite: ({ children }) => <Mark number={Number(children)} />,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={styles.wide} aria-label={t('Table')} tabIndex={0}>
      <table dir="auto">{children}</table>
    </section>
  ),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <pre className={styles.wide} tabIndex={0} dir="ltr">
      {children}
    </pre>
  ),
};

function Mark({ number }: { number: number }) {
  const { sources, onOpen } = useContext(MarkdownContext);
  const source = sources.find(({ citation }) => citation === number);
  return source && onOpen ? <CitationMark source={source} onOpen={onOpen} /> : `[${number}]`;
}

/** Shows a figure of a document page. Chunks refer to figures by names such as `page_2_figure_1.png`. */
function Figure({ name, alt }: { name: string; alt: string }) {
  const { sources } = useContext(MarkdownContext);
  const page = /^page_(\d{1,5})_figure_\d{1,5}\.(?:png|jpg)$/.exec(name)?.[1];
  const source = page && sources.find(({ file_id, text }) => file_id && text.includes(`(${name})`));
  if (!source) return alt ? <em>{alt}</em> : null;
  const params = { id: source.file_id, page_index: Number(page) - 1, figure_name: name };
  const path = '/api/v1/files/{id}/page-figures/{page_index}/{figure_name}';
  return <img src={buildUrl({ path, params })} alt={t('Figure of page {page}', { page })} loading="lazy" />;
}
