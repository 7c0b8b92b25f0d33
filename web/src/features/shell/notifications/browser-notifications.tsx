// Browser notifications for new inbox items while the page is hidden, if you turned them on.
import { useCallback, useState } from "react";
import { useNavigate } from "react-router";

import type { EventFrame } from "@/live/event-socket";
import { useEvents } from "@/live/live-connection";
import { useTabBadge } from "./tab-badge";

const KEY = "mission.notify";

const isOn = () =>
  localStorage.getItem(KEY) === "on" && "Notification" in window && Notification.permission === "granted";

/** Notify about new inbox items while the page is hidden. */
export function BrowserNotifications() {
  const navigate = useNavigate();
  useTabBadge();
  const hear = useCallback(
    (events: EventFrame[]) => {
      if (document.visibilityState === "visible" || !isOn()) return;
      const asked = events.findLast((event) => event.type === "queue:created");
      if (asked === undefined) return;
      const shown = new Notification("New in your inbox", {
        body: String(asked.data.subject),
        tag: "mission-inbox",
      });
      shown.onclick = () => {
        window.focus();
        void navigate(`/inbox?item=${String(asked.data.id)}`);
        shown.close();
      };
    },
    [navigate],
  );
  useEvents(hear);
  return null;
}

/** Turn notifications on and off; nothing if the browser does not support them. */
export function NotificationSwitch() {
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
      {refused && (
        <span className="meta">
          Your browser is blocking notifications. Allow them for this site in the browser settings.
        </span>
      )}
    </>
  );
}
