import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Request } from '../api/client.ts';
import { t } from '../i18n/messages.ts';
import { CodeButton } from './code-button.tsx';
import styles from './page.module.css';

interface PageProps {
  title: string;
  /** Title of the browser window, if it differs from the page's heading. */
  windowTitle?: string;
  /** Content beside the page's heading, such as the state of a job. */
  badge?: ReactNode;
  /** Links to the parent pages, shown above the heading. */
  breadcrumbs?: { to: string; label: string }[];
  lead?: ReactNode;
  actions?: ReactNode;
  /** API requests behind the page, which are shown as code samples. */
  calls?: (Request & { what: string })[];
  /** True if the page uses the full width of the window. */
  full?: boolean;
  children: ReactNode;
}

/** Page of the console. Its heading receives the focus after navigation, unless a dialog is open. */
export function Page({
  title,
  windowTitle = title,
  badge,
  breadcrumbs,
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
        {breadcrumbs && (
          <nav className={styles.breadcrumbs} aria-label={t('Breadcrumb')}>
            {breadcrumbs.map(({ to, label }) => (
              <Fragment key={to}>
                <Link to={to}>
                  <bdi>{label}</bdi>
                </Link>
                {' / '}
              </Fragment>
            ))}
          </nav>
        )}
        <div className={styles.head}>
          <div className={styles.heading}>
            <h1 ref={heading} tabIndex={-1} dir="auto">
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
