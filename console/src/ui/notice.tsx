import type { ReactNode } from 'react';
import type { Tone } from './badge.tsx';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import styles from './notice.module.css';

/** Shows a message on the page. For failed requests, use `Failure` instead. */
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
      <div className={styles.text}>
        <strong>{title}</strong>
        {children}
      </div>
    </div>
  );
}
