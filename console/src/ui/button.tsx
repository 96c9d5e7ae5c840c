import { type ButtonHTMLAttributes, type ReactNode, type Ref, useContext } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import { WriteRefusal } from './write-access.ts';

type Look = 'primary' | 'danger' | 'quiet';

interface Shared {
  look?: Look;
  small?: boolean;
  icon?: IconName;
}

const buildClassName = ({ look, small }: Shared, ...more: (string | false | undefined)[]) =>
  classes(styles.button, look && styles[look], small && styles.small, ...more);

interface ButtonProps extends Shared, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  /** True while the action of the button is running. The button then stays visible but is disabled. */
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
  /**
   * Whether the button changes something. It is disabled, with the reason, for users who may only read. Buttons
   * with the look `danger` write by default.
   */
  writes?: boolean;
  children: ReactNode;
}

/** Returns why a control is disabled for the signed-in user, or `undefined`. */
function useRefusal(writes: boolean): string | undefined {
  const reason = useContext(WriteRefusal);
  return writes ? reason : undefined;
}

export function Button({
  look,
  small,
  icon,
  busy,
  children,
  writes,
  disabled,
  title,
  type = 'button',
  ...rest
}: ButtonProps) {
  const refusal = useRefusal(writes ?? look === 'danger');
  const shown = busy ? 'running' : icon;
  const className = buildClassName({ look, small } as Shared, busy && styles.busy);
  return (
    <button
      {...rest}
      type={type}
      className={className}
      disabled={disabled || busy || refusal !== undefined}
      title={refusal ?? title}
      aria-busy={busy || undefined}
    >
      {shown && <Icon name={shown} size={small ? 15 : 17} />}
      {children}
    </button>
  );
}

interface IconButtonProps
  extends Shared,
    Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'children'> {
  icon: IconName;
  label: string;
  ref?: Ref<HTMLButtonElement>;
  /** Whether the button changes something. It is disabled for users who may only read. */
  writes?: boolean;
}

export function IconButton({
  icon,
  label,
  look = 'quiet',
  small,
  writes = false,
  disabled,
  type = 'button',
  ...rest
}: IconButtonProps) {
  const refusal = useRefusal(writes);
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || refusal !== undefined}
      className={buildClassName({ look, small } as Shared, styles.icon)}
      aria-label={label}
      data-tooltip={label}
    >
      <Icon name={icon} size={small ? 15 : 18} />
    </button>
  );
}

export function ButtonLink({
  look,
  small,
  icon,
  to,
  children,
}: Shared & { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={buildClassName({ look, small } as Shared)}>
      {icon && <Icon name={icon} size={small ? 15 : 17} />}
      {children}
    </Link>
  );
}
