// Where a view's own controls stand: beside the tabs for the view in front, above itself for one that is docked below.
import { createContext, useContext, type ReactNode } from "react";
import { createPortal } from "react-dom";

/** The place beside the tabs; nothing for views that keep their controls. */
export const ControlsPlace = createContext<HTMLElement | null>(null);

export function Controls({ children }: { children: ReactNode }) {
  const place = useContext(ControlsPlace);
  return place === null ? <div className="own-controls actions">{children}</div> : createPortal(children, place);
}
