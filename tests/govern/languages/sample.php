<?php

namespace App\Time;

use App\Base;

const LIMIT = 3;

#[Entity]
class Clock extends Base
{
    const ZONE = 'UTC';
    public int $hour = 1;

    public function turn(int $by): string
    {
        $local = "by {$by}";
        return $local;
    }
}

interface Bell
{
    public function ring();
}

trait Loud
{
}

enum Mode
{
    case On;
}

function helper()
{
}
