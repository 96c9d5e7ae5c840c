import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { LanguageMenu } from '../i18n/language-menu.tsx';
import { t } from '../i18n/messages.ts';
import mark from '../mark.svg';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { useCan } from './can.ts';
import { getAdminItems, getMainItems, type NavigationItem } from './navigation-items.ts';
import { useProjectId } from './project.ts';
import { ProjectSwitch } from './project-switch.tsx';
import { useSession } from './session.tsx';
import styles from './sidebar.module.css';
import { getTheme, setTheme, type Theme } from './theme.ts';

export function Sidebar() {
  const { session, signOut } = useSession();
  const can = useCan();
  return (
    <div className={styles.sidebar}>
      <Link to="/indexes" className={styles.brand}>
        <img src={mark} alt="" width="26" height="26" />
        Sluice
      </Link>
      <div className={styles.project}>
        <ProjectSwitch />
      </div>
      <nav aria-label={t('Main')} className={styles.items}>
        {getMainItems().map((item) => (
          <ItemLink key={item.to} item={item} />
        ))}
      </nav>
      <nav aria-label={t('Administration')} className={`${styles.items} ${styles.admin}`}>
        {getAdminItems(can).map((item) => (
          <ItemLink key={item.to} item={item} />
        ))}
      </nav>
      <div className={styles.language}>
        <LanguageMenu />
      </div>
      <div className={styles.me}>
        <span className={styles.name} title={session.user.email ?? undefined}>
          {session.user.name || session.user.email}
          {!can.write && ` ${t('(viewer)')}`}
        </span>
        <span>
          <ThemeButton />
          <IconButton icon="leave" label={t('Sign out')} small onClick={() => void signOut()} />
        </span>
      </div>
    </div>
  );
}

function ItemLink({ item: { to, label, icon } }: { item: NavigationItem }) {
  const [location] = useLocation();
  const project = useProjectId();
  const isHere = location === to || location.startsWith(`${to}/`);
  return (
    <Link
      to={project ? `${to}?project_id=${project}` : to}
      className={styles.item}
      aria-current={isHere ? 'page' : undefined}
    >
      <Icon name={icon} />
      {label}
    </Link>
  );
}

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };

/** Labels of the theme button by the current theme. Each names the current theme and the next one. */
const THEME_LABELS: Record<Theme, () => string> = {
  system: () => t('Theme: system; change to light'),
  light: () => t('Theme: light; change to dark'),
  dark: () => t('Theme: dark; change to system'),
};

function ThemeButton() {
  const [shown, setShown] = useState(getTheme);
  const next = NEXT[shown];
  const change = () => {
    setTheme(next);
    setShown(next);
  };
  const icon = shown === 'dark' ? 'dark' : 'light';
  return <IconButton icon={icon} small label={THEME_LABELS[shown]()} onClick={change} />;
}
