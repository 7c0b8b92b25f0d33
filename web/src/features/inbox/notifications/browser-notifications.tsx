// A notification of the browser when something new waits and nobody looks at the page; only if the person asked for it.
import { useCallback, useState } from "react";
import { useNavigate } from "react-router";

import { useEvents } from "@/live/live-connection";
import type { EventFrame } from "@/live/event-socket";
import { useBadge } from "./tab-badge";

const KEY = "mission.notify";

const isOn = () => localStorage.getItem(KEY) === "on" && "Notification" in window && Notification.permission === "granted";

/** Tells of what newly waits while the page is not looked at. */
export function Notifier() {
  const navigate = useNavigate();
  useBadge();
  const hear = useCallback(
    (events: EventFrame[]) => {
      if (document.visibilityState === "visible" || !isOn()) return;
      const asked = events.findLast((event) => event.type === "queue:created");
      if (asked === undefined) return;
      const shown = new Notification("Something waits for you", { body: String(asked.data["subject"]), tag: "mission-inbox" });
      shown.onclick = () => {
        window.focus();
        void navigate(`/inbox?item=${String(asked.data["id"])}`);
        shown.close();
      };
    },
    [navigate],
  );
  useEvents(hear);
  return null;
}

/** Turns notifications on and off; absent where the browser has none. */
export function NotifySwitch() {
  const [on, setOn] = useState(isOn);
  const [refused, setRefused] = useState(false);
  if (!("Notification" in window)) return null;
  const turn = async () => {
    if (on) {
      localStorage.removeItem(KEY);
      return setOn(false);
    }
    const granted = (await Notification.requestPermission()) === "granted";
    if (granted) localStorage.setItem(KEY, "on");
    setOn(granted);
    setRefused(!granted);
  };
  return (
    <>
      <button type="button" className="button" aria-pressed={on} onClick={() => void turn()}>
        {on ? "Notifications are on" : "Notify me"}
      </button>
      {refused && <span className="meta">The browser refuses them: allow notifications of this address in its settings.</span>}
    </>
  );
}
