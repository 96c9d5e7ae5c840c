import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Request } from '../api/client.ts';
import { CodeButton } from './code-sample.tsx';
import styles from './page.module.css';

interface PageProps {
  title: string;
  /** The name of the window, where it says more than the heading. */
  windowTitle?: string;
  /** Beside the heading: the state of what the page shows. */
  badge?: ReactNode;
  /** Where it lies: the pages above it. */
  trail?: { to: string; label: string }[];
  lead?: ReactNode;
  actions?: ReactNode;
  /** What the page asks of the API, to be done elsewhere too. */
  calls?: (Request & { what: string })[];
  /** Takes the whole width of the window. */
  full?: boolean;
  children: ReactNode;
}

/** A page of the console. Its heading takes the focus when one comes to it. */
export function Page({
  title,
  windowTitle = title,
  badge,
  trail,
  lead,
  actions,
  calls,
  full,
  children,
}: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${windowTitle} · Sluice`;
  }, [windowTitle]);
  useEffect(() => {
    if (!document.querySelector('dialog[open]')) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={full ? `${styles.page} ${styles.full}` : styles.page}>
      <header>
        {trail && (
          <nav className={styles.trail} aria-label="Trail">
            {trail.map(({ to, label }) => (
              <Fragment key={to}>
                <Link to={to}>{label}</Link>
                {' / '}
              </Fragment>
            ))}
          </nav>
        )}
        <div className={styles.head}>
          <div className={styles.heading}>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {badge}
          </div>
          <div className={styles.actions}>
            {calls && calls.length > 0 && <CodeButton calls={calls} />}
            {actions}
          </div>
        </div>
        {lead && <div className={styles.lead}>{lead}</div>}
      </header>
      {children}
    </div>
  );
}

/** A panel of a page. */
export function Card({
  title,
  actions,
  children,
}: {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={styles.card} aria-label={title}>
      {(title || actions) && (
        <div className={styles.head}>
          {title && <h2>{title}</h2>}
          {actions && <div className={styles.actions}>{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}
