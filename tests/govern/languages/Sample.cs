using System;

namespace App.Time
{
    [Serializable]
    public class Clock<T> : Base
    {
        public int Limit = 3;
        public string Zone { get; set; }
        event Action Rang;

        Clock() {}

        [Obsolete]
        public void Turn(int by)
        {
            var local = $"turn {by}";
            void Inner() {}
        }
    }

    interface IBell { void Ring(); }
    struct Hand {}
    record Hour(int Value);
    enum Mode { On }
    delegate void Handler();
}
