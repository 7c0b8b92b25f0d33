// The controls of a view: next to the tabs for the main view, above the view for one docked below.
import { createContext, type ReactNode, useContext } from "react";
import { createPortal } from "react-dom";

/** The element next to the tabs; null for views that show their own controls. */
export const ViewControlsSlot = createContext<HTMLElement | null>(null);

export function ViewControls({ children }: { children: ReactNode }) {
  const place = useContext(ViewControlsSlot);
  return place === null ? <div className="own-controls actions">{children}</div> : createPortal(children, place);
}
