import type { ReactNode } from 'react';
import type { Tone } from './badge.tsx';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import styles from './notice.module.css';

/** Something to know about the page, which is no failure of a request. */
export function Notice({
  tone,
  icon,
  title,
  children,
}: {
  tone: Tone;
  icon: IconName;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className={classes(styles.notice, styles[tone])}>
      <span className={styles.icon}>
        <Icon name={icon} />
      </span>
      <div className={styles.said}>
        <strong>{title}</strong>
        {children}
      </div>
    </div>
  );
}
