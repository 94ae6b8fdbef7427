import type { ComponentChildren } from 'preact';
import { type AnyObject, appAddress } from './object';

/** Leads to the page that a notebook or a TensorBoard serves, while it does. */
export function AppLink({ app, children }: { app: AnyObject; children: ComponentChildren }) {
  const address = appAddress(app);
  if (!address) return <>{children}</>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
