import { createContext, memo, type ReactNode, useContext, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { addressOf } from '../../api/client.ts';
import { CitationMark } from './citation-mark.tsx';
import { citeMarks } from './cite-marks.ts';
import styles from './markdown.module.css';
import type { Source } from './messages.ts';

interface Around {
  sources: readonly Source[];
  onOpen?: ((source: Source) => void) | undefined;
}

const AroundContext = createContext<Around>({ sources: [] });

/**
 * Markdown of a model or a document, which is never trusted: markup in it is shown as it stands, links lead out only,
 * and pictures are those of its documents' own pages or none.
 */
export const Markdown = memo(function Markdown({
  text,
  sources,
  onOpen,
}: {
  text: string;
} & Around) {
  const around = useMemo(() => ({ sources, onOpen }), [sources, onOpen]);
  return (
    <AroundContext.Provider value={around}>
      <div className={styles.text}>
        <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={REHYPE} components={COMPONENTS}>
          {text}
        </ReactMarkdown>
      </div>
    </AroundContext.Provider>
  );
});

const REMARK = [remarkGfm];
const REHYPE = [citeMarks];

/** Headings of an answer are none of the page's outline. */
const Heading = ({ children }: { children?: ReactNode }) => (
  <p>
    <strong>{children}</strong>
  </p>
);

const COMPONENTS: Components = {
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className={styles.wide} aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </section>
  ),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <pre className={styles.wide} tabIndex={0}>
      {children}
    </pre>
  ),
};

function Mark({ number }: { number: number }) {
  const { sources, onOpen } = useContext(AroundContext);
  const source = sources.find(({ citation }) => citation === number);
  return source && onOpen ? <CitationMark source={source} onOpen={onOpen} /> : `[${number}]`;
}

/** Chunks name the figures of their pages: `page_2_figure_1.png`. */
function Figure({ name, alt }: { name: string; alt: string }) {
  const { sources } = useContext(AroundContext);
  const page = /^page_(\d{1,5})_figure_\d{1,5}\.(?:png|jpg)$/.exec(name)?.[1];
  const source = page && sources.find(({ file_id, text }) => file_id && text.includes(`(${name})`));
  if (!source) return alt ? <em>{alt}</em> : null;
  const params = { id: source.file_id, page_index: Number(page) - 1, figure_name: name };
  const path = '/api/v1/files/{id}/page-figures/{page_index}/{figure_name}';
  return <img src={addressOf({ path, params })} alt={`Figure of page ${page}`} loading="lazy" />;
}
