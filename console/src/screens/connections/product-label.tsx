import { rich } from '../../i18n/messages.ts';
import styles from './products.module.css';
import { buildGuideAddress, findProduct } from './products.ts';

/** Product of a type of connection: its letters, its name, and the neutral name that the API uses. */
export function ProductLabel({ type, title }: { type: string; title: string }) {
  const product = findProduct(type);
  return (
    <span className={styles.product}>
      <span className={styles.letters} aria-hidden="true">
        {product?.letters ?? title.slice(0, 2)}
      </span>
      <span>
        {product?.name ?? title} <code className={styles.type}>{type}</code>
      </span>
    </span>
  );
}

/** Link to the page of the guide that explains how to get credentials for a type of connection. */
export function GuideLink({ type }: { type: string }) {
  const product = findProduct(type);
  if (!product) return null;
  return (
    <p className={styles.guide}>
      {rich(
        'You need credentials of {name}. <link>How to connect {name}</link> explains each step. The API calls this type <code>{type}</code>.',
        {
          name: product.name,
          link: (chunks) => (
            <a href={buildGuideAddress(product)} target="_blank" rel="noreferrer">
              {chunks}
            </a>
          ),
          type,
          code: (chunks) => <code>{chunks}</code>,
        },
      )}
    </p>
  );
}
